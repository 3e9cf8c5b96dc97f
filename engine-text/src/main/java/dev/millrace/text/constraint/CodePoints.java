package dev.millrace.text.constraint;

import java.util.Arrays;
import java.util.BitSet;

/** A set of code points as sorted, separate ranges: the first and the last code point of each. Surrogates are in none. */
record CodePoints(int[] ranges) {
    private static final int FIRST_SURROGATE = 0xd800;
    private static final int LAST_SURROGATE = 0xdfff;

    static final CodePoints ALL =
            new CodePoints(new int[] {0, FIRST_SURROGATE - 1, LAST_SURROGATE + 1, Character.MAX_CODE_POINT});

    static final CodePoints ASCII = new CodePoints(new int[] {0, 0x7f});

    static CodePoints of(int point) {
        return of(point, point);
    }

    static CodePoints of(int first, int last) {
        return new CodePoints(new int[] {first, last}).and(ALL);
    }

    static CodePoints of(BitSet points) {
        int[] ranges = new int[8];
        int count = 0;
        for (int from = points.nextSetBit(0); from >= 0; ) {
            int to = points.nextClearBit(from);
            ranges = count == ranges.length ? Arrays.copyOf(ranges, 2 * count) : ranges;
            ranges[count++] = from;
            ranges[count++] = to - 1;
            from = points.nextSetBit(to);
        }
        return new CodePoints(Arrays.copyOf(ranges, count));
    }

    boolean has(int point) {
        for (int i = 0; i < ranges.length; i += 2) {
            if (point >= ranges[i] && point <= ranges[i + 1]) {
                return true;
            }
        }
        return false;
    }

    CodePoints and(CodePoints other) {
        int[] both = new int[ranges.length + other.ranges.length];
        int count = 0;
        for (int i = 0, j = 0; i < ranges.length && j < other.ranges.length; ) {
            int from = Math.max(ranges[i], other.ranges[j]);
            int to = Math.min(ranges[i + 1], other.ranges[j + 1]);
            if (from <= to) {
                both[count++] = from;
                both[count++] = to;
            }
            if (ranges[i + 1] < other.ranges[j + 1]) {
                i += 2;
            } else {
                j += 2;
            }
        }
        return new CodePoints(Arrays.copyOf(both, count));
    }

    /** Returns all other code points. */
    CodePoints complement() {
        int[] others = new int[ranges.length + 2];
        int count = 0;
        int from = 0;
        for (int i = 0; i < ranges.length; i += 2) {
            if (ranges[i] > from) {
                others[count++] = from;
                others[count++] = ranges[i] - 1;
            }
            from = ranges[i + 1] + 1;
        }
        if (from <= Character.MAX_CODE_POINT) {
            others[count++] = from;
            others[count++] = Character.MAX_CODE_POINT;
        }
        return new CodePoints(Arrays.copyOf(others, count)).and(ALL);
    }

    CodePoints without(CodePoints other) {
        return and(other.complement());
    }

    boolean isOne() {
        return ranges.length == 2 && ranges[0] == ranges[1];
    }

    boolean isEmpty() {
        return ranges.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CodePoints that && Arrays.equals(ranges, that.ranges);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranges);
    }
}
