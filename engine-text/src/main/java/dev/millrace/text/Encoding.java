package dev.millrace.text;

import dev.millrace.text.after.Placed;
import dev.millrace.text.vocabulary.Token;
import java.util.ArrayList;
import java.util.List;

/** A text as tokens, with the marks of its format. */
public final class Encoding {
    private final List<Placed> placed;
    private final int padding;
    private final boolean paddedLeft;

    Encoding(List<Placed> placed, int padding, boolean paddedLeft) {
        this.placed = List.copyOf(placed);
        this.padding = padding;
        this.paddedLeft = paddedLeft;
    }

    /** How many tokens there are, padding included. */
    public int length() {
        return placed.size();
    }

    /** The tokens' numbers, what models call {@code input_ids}. */
    public long[] ids() {
        return placed.stream().mapToLong(each -> each.token().id()).toArray();
    }

    /** Which text each token is of, what models call {@code token_type_ids}. */
    public long[] types() {
        return placed.stream().mapToLong(Placed::type).toArray();
    }

    /** 1 for each token, 0 for padding, what models call {@code attention_mask}. */
    public long[] mask() {
        long[] mask = new long[placed.size()];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = isPadding(i) ? 0 : 1;
        }
        return mask;
    }

    private boolean isPadding(int index) {
        return paddedLeft ? index < padding : index >= placed.size() - padding;
    }

    /** The tokens as texts. */
    public List<String> tokens() {
        return placed.stream().map(each -> each.token().text()).toList();
    }

    /** Whether a token is a mark of the format or padding, and came from no text. */
    public boolean isMark(int index) {
        return placed.get(index).added();
    }

    /** Where in its text a token begins, in chars. */
    public int start(int index) {
        return placed.get(index).token().start();
    }

    /** Where in its text a token ends. */
    public int end(int index) {
        return placed.get(index).token().end();
    }

    /** The same, as long as {@code length}. */
    Encoding padded(int length, Token pad, int type, boolean left) {
        int more = length - placed.size();
        if (more <= 0) {
            return this;
        }
        var all = new ArrayList<>(placed);
        for (int i = 0; i < more; i++) {
            all.add(left ? 0 : all.size(), new Placed(pad, type, true));
        }
        return new Encoding(all, more, left);
    }

    @Override
    public String toString() {
        return tokens().toString();
    }
}
