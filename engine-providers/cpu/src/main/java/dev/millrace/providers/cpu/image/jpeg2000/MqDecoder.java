package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.Arrays;

/**
 * The arithmetic decoder of JPEG 2000 (MQ coder), which adapts the probability of each context; or a reader of raw
 * bits.
 */
final class MqDecoder {
    static final int CONTEXTS = 19;

    /** The probability of the less probable symbol in each state, in 65,536ths of 4/3. */
    private static final int[] PROBABILITIES = {
        0x5601, 0x3401, 0x1801, 0x0ac1, 0x0521, 0x0221, 0x5601, 0x5401, 0x4801, 0x3801, 0x3001, 0x2401, 0x1c01, 0x1601,
        0x5601, 0x5401, 0x5101, 0x4801, 0x3801, 0x3401, 0x3001, 0x2801, 0x2401, 0x2201, 0x1c01, 0x1801, 0x1601, 0x1401,
        0x1201, 0x1101, 0x0ac1, 0x09c1, 0x08a1, 0x0521, 0x0441, 0x02a1, 0x0221, 0x0141, 0x0111, 0x0085, 0x0049, 0x0025,
        0x0015, 0x0009, 0x0005, 0x0001, 0x5601
    };
    /** The state after the more probable symbol, where the interval was renormalised. */
    private static final byte[] AFTER_MORE = {
        1, 2, 3, 4, 5, 38, 7, 8, 9, 10, 11, 12, 13, 29, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
        31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 45, 46
    };

    private static final byte[] AFTER_LESS = {
        1, 6, 9, 12, 29, 33, 6, 14, 14, 14, 17, 18, 20, 21, 14, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 46
    };
    /** The states in which the symbols are exchanged after the less probable one. */
    private static final long EXCHANGED = 1L | 1L << 6 | 1L << 14;

    private final byte[] states = new byte[CONTEXTS];
    private final byte[] symbols = new byte[CONTEXTS];
    private byte[] data = {};
    private int at;
    private int end;
    private int interval;
    private int code;
    private int left;

    void reset() {
        Arrays.fill(states, (byte) 0);
        Arrays.fill(symbols, (byte) 0);
    }

    void setState(int context, int state) {
        states[context] = (byte) state;
    }

    /** Starts to decode a part of the bytes. It is followed by one bits without end. */
    void start(byte[] bytes, int from, int length) {
        open(bytes, from, length);
        code = octet(at) << 16;
        next();
        code <<= 7;
        left -= 7;
        interval = 0x8000;
    }

    /** Starts to read raw bits. */
    void startRaw(byte[] bytes, int from, int length) {
        open(bytes, from, length);
        code = 0;
        left = 0;
    }

    private void open(byte[] bytes, int from, int length) {
        data = bytes;
        at = from;
        end = from + length;
    }

    private int octet(int index) {
        return index < end ? data[index] & 255 : 255;
    }

    private void next() {
        int following = octet(at + 1);
        if (octet(at) != 255) {
            at++;
            code += following << 8;
            left = 8;
        } else if (following > 0x8f) {
            code += 0xff00;
            left = 8;
        } else {
            at++;
            code += following << 9;
            left = 7;
        }
    }

    int bit(int context) {
        int state = states[context];
        int probability = PROBABILITIES[state];
        int symbol = symbols[context];
        interval -= probability;
        boolean lower = code >>> 16 < probability;
        if (!lower) {
            code -= probability << 16;
            if ((interval & 0x8000) != 0) {
                return symbol;
            }
        }
        boolean more = lower == interval < probability;
        if (lower) {
            interval = probability;
        }
        if (more) {
            states[context] = AFTER_MORE[state];
        } else {
            states[context] = AFTER_LESS[state];
            symbols[context] = (byte) (symbol ^ (int) (EXCHANGED >> state & 1));
            symbol ^= 1;
        }
        do {
            if (left == 0) {
                next();
            }
            interval <<= 1;
            code <<= 1;
            left--;
        } while (interval < 0x8000);
        return symbol;
    }

    int rawBit() {
        if (left == 0) {
            boolean stuffed = code == 255;
            int following = octet(at);
            left = stuffed && following <= 0x8f ? 7 : 8;
            if (!stuffed || following <= 0x8f) {
                at++;
                code = following;
            }
        }
        left--;
        return code >> left & 1;
    }
}
