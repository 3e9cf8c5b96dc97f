package dev.millrace.text.constraint;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The edges of sets of code points, each of which is one to four bytes in UTF-8. */
final class Utf8 {
    private static final int LOW = 0x80;
    private static final int HIGH = 0xbf;
    /** The last code point of each number of bytes. */
    private static final int[] LAST = {0x7f, 0x7ff, 0xffff, Character.MAX_CODE_POINT};

    private final AutomatonBuilder builder;
    private final int to;
    /** The nodes before one to three bytes of any value; -1 while there is none. */
    private final int[] rest = {-1, -1, -1};

    private Utf8(AutomatonBuilder builder, int to) {
        this.builder = builder;
        this.to = to;
    }

    static void add(AutomatonBuilder builder, int from, CodePoints set, int to) {
        var utf8 = new Utf8(builder, to);
        int[] ranges = set.ranges();
        for (int i = 0; i < ranges.length; i += 2) {
            int first = ranges[i];
            for (int last : LAST) {
                if (first <= last && first <= ranges[i + 1]) {
                    int end = Math.min(last, ranges[i + 1]);
                    utf8.add(from, bytes(first), bytes(end), 0);
                    first = end + 1;
                }
            }
        }
    }

    private static byte[] bytes(int point) {
        return Character.toString(point).getBytes(StandardCharsets.UTF_8);
    }

    /** Adds the sequences from {@code low} to {@code high}, which have one length, from index {@code at} on. */
    private void add(int from, byte[] low, byte[] high, int at) {
        int first = low[at] & 0xff;
        int last = high[at] & 0xff;
        if (at == low.length - 1) {
            builder.bytes(from, first, last, to);
            return;
        }
        if (first == last) {
            add(step(from, first), low, high, at + 1);
            return;
        }
        if (!isAll(low, at + 1, LOW)) {
            add(step(from, first++), low, filled(low, at + 1, HIGH), at + 1);
        }
        if (!isAll(high, at + 1, HIGH)) {
            add(step(from, last--), filled(high, at + 1, LOW), high, at + 1);
        }
        if (first <= last) {
            builder.bytes(from, first, last, rest(low.length - 1 - at));
        }
    }

    private int step(int from, int each) {
        int next = builder.node();
        builder.bytes(from, each, each, next);
        return next;
    }

    private static boolean isAll(byte[] bytes, int from, int value) {
        for (int i = from; i < bytes.length; i++) {
            if ((bytes[i] & 0xff) != value) {
                return false;
            }
        }
        return true;
    }

    private static byte[] filled(byte[] bytes, int from, int value) {
        byte[] filled = bytes.clone();
        Arrays.fill(filled, from, filled.length, (byte) value);
        return filled;
    }

    private int rest(int count) {
        if (count == 0) {
            return to;
        }
        if (rest[count - 1] < 0) {
            int node = builder.node();
            builder.bytes(node, LOW, HIGH, rest(count - 1));
            rest[count - 1] = node;
        }
        return rest[count - 1];
    }
}
