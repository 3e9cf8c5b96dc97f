package dev.millrace.providers.cpu.image.webp;

/** The inverse transforms of VP8, in integer arithmetic. */
final class InverseTransforms {
    /** √2·cos(π/8) less 1 and, below, √2·sin(π/8), in 65,536ths. */
    private static final int COSINE = 20091;

    private static final int SINE = 35468;

    private InverseTransforms() {}

    /** Applies the inverse Walsh-Hadamard transform. Its results are the first coefficients of sixteen blocks. */
    static void spread(short[] in, short[] blocks) {
        int[] columns = new int[16];
        for (int i = 0; i < 4; i++) {
            int outer = in[i] + in[12 + i];
            int inner = in[4 + i] + in[8 + i];
            int innerLess = in[4 + i] - in[8 + i];
            int outerLess = in[i] - in[12 + i];
            columns[i] = outer + inner;
            columns[4 + i] = outerLess + innerLess;
            columns[8 + i] = outer - inner;
            columns[12 + i] = outerLess - innerLess;
        }
        for (int i = 0; i < 16; i += 4) {
            int outer = columns[i] + columns[i + 3] + 3;
            int inner = columns[i + 1] + columns[i + 2];
            int innerLess = columns[i + 1] - columns[i + 2];
            int outerLess = columns[i] - columns[i + 3] + 3;
            blocks[16 * i] = (short) ((outer + inner) >> 3);
            blocks[16 * i + 16] = (short) ((outerLess + innerLess) >> 3);
            blocks[16 * i + 32] = (short) ((outer - inner) >> 3);
            blocks[16 * i + 48] = (short) ((outerLess - innerLess) >> 3);
        }
    }

    /** Adds the inverse cosine transform of sixteen coefficients to 4 × 4 pixels of a plane. */
    static void add(short[] in, int base, Samples plane, int x, int y) {
        int[] columns = new int[16];
        for (int i = 0; i < 4; i++) {
            transform(in[base + i], in[base + 4 + i], in[base + 8 + i], in[base + 12 + i], 0, columns, i, 4);
        }
        int[] row = new int[4];
        for (int j = 0; j < 4; j++) {
            int i = 4 * j;
            transform(columns[i], columns[i + 1], columns[i + 2], columns[i + 3], 4, row, 0, 1);
            for (int k = 0; k < 4; k++) {
                plane.set(x + k, y + j, plane.get(x + k, y + j) + (row[k] >> 3));
            }
        }
    }

    private static void transform(int a, int b, int c, int d, int round, int[] out, int at, int step) {
        int even = a + c + round;
        int evenLess = a - c + round;
        int odd = sine(b) - cosine(d);
        int oddMore = cosine(b) + sine(d);
        out[at] = even + oddMore;
        out[at + step] = evenLess + odd;
        out[at + 2 * step] = evenLess - odd;
        out[at + 3 * step] = even - oddMore;
    }

    private static int cosine(int value) {
        return ((value * COSINE) >> 16) + value;
    }

    private static int sine(int value) {
        return (value * SINE) >> 16;
    }
}
