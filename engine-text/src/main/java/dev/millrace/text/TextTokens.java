package dev.millrace.text;

import dev.millrace.text.vocabulary.TextToken;
import java.util.ArrayList;
import java.util.List;

/** Tokens of a text, without the special tokens of a format. Immutable. */
public final class TextTokens {
    private final List<TextToken> tokens;

    TextTokens(List<TextToken> tokens) {
        this.tokens = List.copyOf(tokens);
    }

    /** Returns the tokens of words that were tokenised one by one. The index of a word is its place in the list. */
    public static TextTokens ofWords(List<TextTokens> words) {
        var all = new ArrayList<TextToken>();
        List<TextTokens> each = ApiBoundary.all(words, "words");
        for (int i = 0; i < each.size(); i++) {
            int word = i;
            each.get(i).tokens.forEach(token -> all.add(token.inWord(word)));
        }
        return new TextTokens(all);
    }

    List<TextToken> tokens() {
        return tokens;
    }

    public int size() {
        return tokens.size();
    }

    /** Returns the tokens from one to before another. */
    public TextTokens part(int from, int to) {
        return new TextTokens(tokens.subList(from, to));
    }
}
