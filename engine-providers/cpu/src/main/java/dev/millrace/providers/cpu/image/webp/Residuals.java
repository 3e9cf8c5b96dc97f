package dev.millrace.providers.cpu.image.webp;

import java.util.Arrays;

/**
 * The reader of macroblocks' coefficients, with probabilities that depend on their position and the neighbouring
 * blocks.
 */
final class Residuals {
    private static final int AFTER_SECOND = 0;
    private static final int SECOND = 1;
    private static final int CHROMA = 2;
    private static final int WHOLE = 3;

    private static final int[] ZIGZAG = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
    private static final int[] BANDS = {0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0};
    /** The probabilities of the further bits of large numbers, for four ranges of numbers. */
    private static final int[][] FURTHER = {
        {173, 148, 140},
        {176, 155, 140, 135},
        {180, 157, 141, 134, 130},
        {254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129}
    };

    private final byte[] probabilities;
    /**
     * Whether the last block above had coefficients: for each column four blocks of luma, two of either chroma, and the
     * second-order block.
     */
    private final boolean[] above;

    private final boolean[] left = new boolean[9];
    private final short[] second = new short[16];

    Residuals(byte[] probabilities, int columns) {
        this.probabilities = probabilities;
        this.above = new boolean[columns * 9];
    }

    void startRow() {
        Arrays.fill(left, false);
    }

    /** Reads a macroblock's coefficients. Returns whether there are any. */
    boolean read(Macroblock block, int column, Quantizer quantizer, BooleanDecoder in) {
        Arrays.fill(block.coefficients, (short) 0);
        int top = column * 9;
        if (block.skipped) {
            int contexts = block.parted ? 8 : 9;
            Arrays.fill(above, top, top + contexts, false);
            Arrays.fill(left, 0, contexts, false);
            return false;
        }
        boolean any = false;
        int first = 0;
        if (!block.parted) {
            Arrays.fill(second, (short) 0);
            int end = read(in, SECOND, context(top + 8, 8), quantizer.second, 0, second, 0);
            above[top + 8] = end > 0;
            left[8] = end > 0;
            InverseTransforms.spread(second, block.coefficients);
            for (int i = 0; i < 256; i += 16) {
                any |= block.coefficients[i] != 0;
            }
            first = 1;
        }
        int kind = block.parted ? WHOLE : AFTER_SECOND;
        for (int i = 0; i < 16; i++) {
            any |= read(in, kind, quantizer.luma, first, block.coefficients, i, top + i % 4, i / 4);
        }
        for (int i = 0; i < 8; i++) {
            int plane = 4 + i / 4 * 2;
            any |= read(
                    in,
                    CHROMA,
                    quantizer.chroma,
                    0,
                    block.coefficients,
                    16 + i,
                    top + plane + i % 2,
                    plane + i % 4 / 2);
        }
        return any;
    }

    private boolean read(
            BooleanDecoder in, int kind, int[] scale, int first, short[] out, int block, int column, int row) {
        boolean any = read(in, kind, context(column, row), scale, first, out, block * 16) > first;
        above[column] = any;
        left[row] = any;
        return any;
    }

    private int context(int column, int row) {
        return (above[column] ? 1 : 0) + (left[row] ? 1 : 0);
    }

    /** Reads one block. Returns the index behind its last coefficient. */
    private int read(BooleanDecoder in, int kind, int context, int[] scale, int first, short[] out, int base) {
        int at = node(kind, first, context);
        for (int n = first; n < 16; n++) {
            if (in.bit(probability(at)) == 0) {
                return n;
            }
            while (in.bit(probability(at + 1)) == 0) {
                n++;
                if (n == 16) {
                    return 16;
                }
                at = node(kind, n, 0);
            }
            int value = 1;
            if (in.bit(probability(at + 2)) == 1) {
                value = large(in, at);
            }
            at = node(kind, n + 1, value == 1 ? 1 : 2);
            out[base + ZIGZAG[n]] = (short) ((in.flag() ? -value : value) * scale[Math.min(n, 1)]);
        }
        return 16;
    }

    private int large(BooleanDecoder in, int at) {
        if (in.bit(probability(at + 3)) == 0) {
            return in.bit(probability(at + 4)) == 0 ? 2 : 3 + in.bit(probability(at + 5));
        }
        if (in.bit(probability(at + 6)) == 0) {
            return in.bit(probability(at + 7)) == 0 ? 5 + in.bit(159) : 7 + 2 * in.bit(165) + in.bit(145);
        }
        int high = in.bit(probability(at + 8));
        int range = 2 * high + in.bit(probability(at + 9 + high));
        int value = 0;
        for (int further : FURTHER[range]) {
            value = 2 * value + in.bit(further);
        }
        return value + 3 + (8 << range);
    }

    private static int node(int kind, int place, int context) {
        return ((kind * Probabilities.BANDS + BANDS[place]) * Probabilities.CONTEXTS + context) * Probabilities.NODES;
    }

    private int probability(int at) {
        return probabilities[at] & 255;
    }
}
