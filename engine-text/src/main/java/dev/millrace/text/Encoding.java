package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.text.postprocessor.Placed;
import dev.millrace.text.vocabulary.TextToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;

/** A text as tokens, with the special tokens of its format and padding. */
public final class Encoding {
    private final List<Placed> placed;
    private final Padding padding;

    /** Equal tokens that pad a text. */
    private record Padding(int count, Placed each, boolean left) {
        static final Padding NONE = new Padding(0, Placed.mark(new TextToken(0, "", 0, 0), 0), false);
    }

    Encoding(List<Placed> placed) {
        this(List.copyOf(placed), Padding.NONE);
    }

    private Encoding(List<Placed> placed, Padding padding) {
        this.placed = placed;
        this.padding = padding;
    }

    /** The number of tokens, padding included. */
    public int length() {
        return placed.size() + padding.count();
    }

    /** The ids of the tokens, which models call {@code input_ids}. */
    public long[] ids() {
        return all(each -> each.token().id(), padding.each().token().id());
    }

    /** The index of the text that each token belongs to, which models call {@code token_type_ids}. */
    public long[] types() {
        return all(Placed::type, padding.each().type());
    }

    /** The mask with 1 for each token and 0 for padding, which models call {@code attention_mask}. */
    public long[] mask() {
        return all(each -> 1, 0);
    }

    private long[] all(ToLongFunction<Placed> number, long ofPadding) {
        long[] all = new long[length()];
        if (ofPadding != 0) {
            Arrays.fill(all, ofPadding);
        }
        int at = first();
        for (Placed each : placed) {
            all[at++] = number.applyAsLong(each);
        }
        return all;
    }

    /** The index of the first token that is no padding. */
    private int first() {
        return padding.left() ? padding.count() : 0;
    }

    /** The tokens as texts. */
    public List<String> tokens() {
        var texts = new ArrayList<String>(length());
        placed.forEach(each -> texts.add(each.token().text()));
        List<String> filled =
                Collections.nCopies(padding.count(), padding.each().token().text());
        texts.addAll(padding.left() ? 0 : texts.size(), filled);
        return Collections.unmodifiableList(texts);
    }

    /** Whether a token is a special token of the format or padding, which comes from no text. */
    public boolean isMark(int index) {
        return at(index).added();
    }

    /** The index of the char in its text at which a token begins. */
    public int start(int index) {
        return at(index).token().start();
    }

    /** The index of the char in its text before which a token ends. */
    public int end(int index) {
        return at(index).token().end();
    }

    /** The index of the word of its text that a token belongs to; -1 for special tokens and padding. */
    public int word(int index) {
        Placed placed = at(index);
        return placed.added() ? -1 : placed.token().word();
    }

    /** The index of the text that a token comes from, 0 or 1 of a pair; -1 for special tokens and padding. */
    public int text(int index) {
        return at(index).text();
    }

    /** The number of tokens that come from texts, which are neither special tokens nor padding. */
    public int textTokens() {
        return (int) placed.stream().filter(each -> !each.added()).count();
    }

    private Placed at(int index) {
        if (index < 0 || index >= length()) {
            throw EngineException.invalidArgument("there is no token " + index + " of " + length());
        }
        int own = index - first();
        return own >= 0 && own < placed.size() ? placed.get(own) : padding.each();
    }

    /** Returns this encoding padded to {@code length} tokens. */
    Encoding padded(int length, TextToken pad, int type, boolean left) {
        int more = length - placed.size();
        return more <= 0 ? this : new Encoding(placed, new Padding(more, Placed.mark(pad, type), left));
    }

    @Override
    public String toString() {
        return tokens().toString();
    }
}
