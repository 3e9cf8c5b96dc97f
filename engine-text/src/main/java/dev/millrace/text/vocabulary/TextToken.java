package dev.millrace.text.vocabulary;

/**
 * A token of a text.
 *
 * @param start where in the text it begins, in chars
 * @param end where in the text it ends
 * @param word the index of its word in the text; -1 where it is in none
 */
public record TextToken(int id, String text, int start, int end, int word) {
    /** A token whose word is not known yet. */
    public TextToken(int id, String text, int start, int end) {
        this(id, text, start, end, -1);
    }

    /** Returns this token in the word of that index. */
    public TextToken inWord(int index) {
        return new TextToken(id, text, start, end, index);
    }

    /** Returns this token with other offsets. */
    public TextToken at(int otherStart, int otherEnd) {
        return new TextToken(id, text, otherStart, otherEnd, word);
    }
}
