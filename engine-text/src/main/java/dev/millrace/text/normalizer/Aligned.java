package dev.millrace.text.normalizer;

import dev.millrace.text.limit.Budget;
import dev.millrace.text.pattern.Search;
import java.util.Arrays;
import java.util.function.IntFunction;

/** A text that was made from an original text, with the range of the original that each char comes from. Immutable. */
public final class Aligned {
    private final String text;
    private final int[] starts;
    private final int[] ends;

    private Aligned(String text, int[] starts, int[] ends) {
        this.text = text;
        this.starts = starts;
        this.ends = ends;
    }

    /** Returns a text that is its own original. */
    public static Aligned of(String text) {
        int[] starts = new int[text.length()];
        int[] ends = new int[text.length()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = i;
            ends[i] = i + 1;
        }
        return new Aligned(text, starts, ends);
    }

    public String text() {
        return text;
    }

    public int length() {
        return text.length();
    }

    public boolean isEmpty() {
        return text.isEmpty();
    }

    /** The start in the original of the char at {@code index}. */
    public int start(int index) {
        return starts[index];
    }

    /** The end in the original of the char at {@code index}, exclusive. */
    public int end(int index) {
        return ends[index];
    }

    /** Whether it starts at the beginning of its original. */
    public boolean isFirst() {
        return starts.length > 0 && starts[0] == 0;
    }

    public Aligned slice(int from, int to) {
        return from == 0 && to == length()
                ? this
                : new Aligned(
                        text.substring(from, to),
                        Arrays.copyOfRange(starts, from, to),
                        Arrays.copyOfRange(ends, from, to));
    }

    /** Replaces each code point by a text, which may be empty. */
    public Aligned map(IntFunction<String> replacement, Budget budget) {
        var made = new Builder(budget);
        for (int at = 0; at < text.length(); ) {
            int codePoint = text.codePointAt(at);
            int next = at + Character.charCount(codePoint);
            made.add(replacement.apply(codePoint), starts[at], ends[next - 1]);
            at = next;
        }
        return made.build();
    }

    /** Replaces each match by a text. */
    public Aligned replace(Search search, String replacement, Budget budget) {
        Search.Matches matches = search.in(text, budget);
        var made = new Builder(budget);
        int kept = 0;
        while (matches.next()) {
            made.add(this, kept, matches.start());
            made.add(replacement, starts[matches.start()], ends[matches.end() - 1]);
            kept = matches.end();
        }
        return kept == 0 ? this : made.add(this, kept, length()).build();
    }

    /** Returns this text with another before it, which is aligned with the first char. */
    public Aligned prepend(String before, Budget budget) {
        return isEmpty()
                ? this
                : new Builder(budget)
                        .add(before, starts[0], ends[0])
                        .add(this, 0, length())
                        .build();
    }

    /** Returns this text with another after it, which is aligned with the last char. */
    public Aligned append(String behind, Budget budget) {
        int last = length() - 1;
        return isEmpty()
                ? this
                : new Builder(budget)
                        .add(this, 0, length())
                        .add(behind, starts[last], ends[last])
                        .build();
    }

    /** Concatenates aligned texts. */
    public static final class Builder {
        private static final long MOST = Integer.MAX_VALUE - 8;

        private final StringBuilder text = new StringBuilder();
        private int[] starts = new int[16];
        private int[] ends = new int[16];
        private final Budget budget;

        public Builder(Budget budget) {
            this.budget = budget;
        }

        /** Adds a text that comes from one range of the original. */
        public Builder add(String added, int start, int end) {
            int from = grow(added.length());
            text.append(added);
            Arrays.fill(starts, from, text.length(), start);
            Arrays.fill(ends, from, text.length(), end);
            return this;
        }

        /** Adds chars of another aligned text with their ranges. */
        public Builder add(Aligned other, int from, int to) {
            int at = grow(to - from);
            text.append(other.text, from, to);
            System.arraycopy(other.starts, from, starts, at, to - from);
            System.arraycopy(other.ends, from, ends, at, to - from);
            return this;
        }

        private int grow(int more) {
            budget.spend(more + 1L);
            budget.requireLength((long) text.length() + more);
            int needed = text.length() + more;
            if (needed > starts.length) {
                starts = Arrays.copyOf(starts, Math.max(needed, (int) Math.min(2L * starts.length, MOST)));
                ends = Arrays.copyOf(ends, starts.length);
            }
            return text.length();
        }

        public Aligned build() {
            return new Aligned(
                    text.toString(), Arrays.copyOf(starts, text.length()), Arrays.copyOf(ends, text.length()));
        }
    }
}
