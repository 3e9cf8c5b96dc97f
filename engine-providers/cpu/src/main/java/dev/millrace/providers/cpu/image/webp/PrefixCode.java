package dev.millrace.providers.cpu.image.webp;

import java.util.Arrays;

/** A canonical prefix code (Huffman code) with codes of up to 15 bits; those of up to eight are decoded by a table. */
final class PrefixCode {
    private static final int LONGEST = 15;
    private static final int TABLE_BITS = 8;
    private static final int[] LENGTH_ORDER = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    private final short[] symbols;
    private final short[] counts = new short[LONGEST + 1];
    private final int tableBits;
    /**
     * The decoding table, indexed by the next bits: a symbol and, in the lowest four bits, the length of its code; 0
     * where that is longer.
     */
    private final int[] table;

    /** Creates the code from the lengths of its symbols, the first {@code count} of which are used. */
    PrefixCode(int[] lengths, int count) {
        int used = 0;
        for (int i = 0; i < count; i++) {
            counts[lengths[i]]++;
            used += lengths[i] > 0 ? 1 : 0;
        }
        symbols = new short[used];
        counts[0] = 0;
        int[] places = new int[LONGEST + 2];
        int room = 1 << LONGEST;
        int longest = 0;
        for (int length = 1; length <= LONGEST; length++) {
            places[length + 1] = places[length] + counts[length];
            room -= counts[length] << (LONGEST - length);
            longest = counts[length] > 0 ? length : longest;
        }
        for (int i = 0; i < count; i++) {
            if (lengths[i] > 0) {
                symbols[places[lengths[i]]++] = (short) i;
            }
        }
        if (used == 0 || (used > 1 && room != 0)) {
            throw new IllegalArgumentException("a prefix code of " + used + " symbols is not complete");
        }
        tableBits = used == 1 ? 0 : Math.min(longest, TABLE_BITS);
        table = new int[1 << tableBits];
        fill();
    }

    private void fill() {
        int code = 0;
        int place = 0;
        for (int length = 1; length <= tableBits; length++) {
            for (int i = 0; i < counts[length]; i++, place++, code++) {
                int reversed = Integer.reverse(code) >>> (Integer.SIZE - length);
                for (int at = reversed; at < table.length; at += 1 << length) {
                    table[at] = symbols[place] << 4 | length;
                }
            }
            code <<= 1;
        }
    }

    int read(LosslessBits in) {
        if (tableBits == 0) {
            return symbols[0];
        }
        int entry = table[in.ahead(tableBits)];
        if (entry != 0) {
            in.skip(entry & 15);
            return entry >> 4;
        }
        return longSymbol(in);
    }

    private int longSymbol(LosslessBits in) {
        int code = 0;
        int first = 0;
        int place = 0;
        for (int length = 1; length <= LONGEST; length++) {
            code |= in.read(1);
            if (code - first < counts[length]) {
                return symbols[place + code - first];
            }
            place += counts[length];
            first = (first + counts[length]) << 1;
            code <<= 1;
        }
        throw new IllegalStateException("a complete code has no other bits");
    }

    /** Reads the definition of a code of {@code symbols} symbols. */
    static PrefixCode read(LosslessBits in, int symbols) {
        int[] lengths = new int[Math.max(symbols, 256)];
        if (in.flag()) {
            boolean two = in.flag();
            lengths[in.read(in.flag() ? 8 : 1)] = 1;
            if (two) {
                lengths[in.read(8)] = 1;
            }
        } else {
            readLengths(in, symbols, lengths);
        }
        return new PrefixCode(lengths, symbols);
    }

    private static void readLengths(LosslessBits in, int symbols, int[] lengths) {
        int[] own = new int[LENGTH_ORDER.length];
        int count = 4 + in.read(4);
        for (int i = 0; i < count; i++) {
            own[LENGTH_ORDER[i]] = in.read(3);
        }
        var code = new PrefixCode(own, own.length);
        int left = symbols;
        if (in.flag()) {
            left = 2 + in.read(2 + 2 * in.read(3));
            if (left > symbols) {
                throw new IllegalArgumentException(left + " lengths for a code of " + symbols + " symbols");
            }
        }
        int previous = 8;
        for (int at = 0; at < symbols && left > 0; left--) {
            int length = code.read(in);
            int times = 1;
            if (length < 16) {
                previous = length == 0 ? previous : length;
            } else {
                times = switch (length) {
                    case 16 -> 3 + in.read(2);
                    case 17 -> 3 + in.read(3);
                    default -> 11 + in.read(7);
                };
                length = length == 16 ? previous : 0;
            }
            if (at + times > symbols) {
                throw new IllegalArgumentException("more lengths than a code's " + symbols + " symbols");
            }
            Arrays.fill(lengths, at, at + times, length);
            at += times;
        }
    }
}
