package dev.millrace.text.postprocessor;

import dev.millrace.text.vocabulary.TextToken;

/**
 * A token in what a model gets.
 *
 * @param type the number of its kind of text, as BERT has 0 and 1
 * @param text the index of the text that it comes from; -1 for a mark of the format, which comes from none
 */
public record Placed(TextToken token, int type, int text) {
    /** Returns a mark of the format. */
    public static Placed mark(TextToken token, int type) {
        return new Placed(token, type, -1);
    }

    /** Whether it is a mark of the format and came from no text. */
    public boolean added() {
        return text < 0;
    }
}
