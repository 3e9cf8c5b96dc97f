package dev.millrace.providers.cpu.product;

/**
 * The innermost loops of a product, which add multiples of rows of the right operand to rows of the result. All arrays
 * of a loop are read at one common index, so that the JIT compiler vectorises it; see
 * {@link dev.millrace.scheduler.pool.Scratch#rows}.
 */
public final class RowKernels {
    private RowKernels() {}

    /**
     * Computes {@code c[r][j] += Σ a[r * stride + k] · b[k][j]} for {@code m} rows, {@code depth} terms and {@code n}
     * columns. The depth is a multiple of four.
     */
    public static void accumulate(float[][] c, int m, float[] a, int stride, float[][] b, int depth, int n) {
        accumulate(c, 0, m, a, 0, stride, b, depth, n);
    }

    /**
     * Accumulates as the method above, into the rows of the result from {@code first} on, with the left operand from
     * {@code base} on.
     */
    public static void accumulate(
            float[][] c, int first, int m, float[] a, int base, int stride, float[][] b, int depth, int n) {
        int r = 0;
        for (; r + 4 <= m; r += 4) {
            for (int k = 0; k < depth; k += 4) {
                int at = base + r * stride + k;
                int row = first + r;
                fourByFour(
                        c[row],
                        c[row + 1],
                        c[row + 2],
                        c[row + 3],
                        b[k],
                        b[k + 1],
                        b[k + 2],
                        b[k + 3],
                        a,
                        at,
                        stride,
                        n);
            }
        }
        for (; r < m; r++) {
            int at = base + r * stride;
            int k = 0;
            for (; k + 8 <= depth; k += 8) {
                oneByEight(c[first + r], b, k, a, at + k, n);
            }
            if (k < depth) {
                oneByFour(c[first + r], b[k], b[k + 1], b[k + 2], b[k + 3], a, at + k, n);
            }
        }
    }

    private static void fourByFour(
            float[] c0,
            float[] c1,
            float[] c2,
            float[] c3,
            float[] b0,
            float[] b1,
            float[] b2,
            float[] b3,
            float[] a,
            int at,
            int stride,
            int n) {
        float a00 = a[at];
        float a01 = a[at + 1];
        float a02 = a[at + 2];
        float a03 = a[at + 3];
        float a10 = a[at + stride];
        float a11 = a[at + stride + 1];
        float a12 = a[at + stride + 2];
        float a13 = a[at + stride + 3];
        float a20 = a[at + 2 * stride];
        float a21 = a[at + 2 * stride + 1];
        float a22 = a[at + 2 * stride + 2];
        float a23 = a[at + 2 * stride + 3];
        float a30 = a[at + 3 * stride];
        float a31 = a[at + 3 * stride + 1];
        float a32 = a[at + 3 * stride + 2];
        float a33 = a[at + 3 * stride + 3];
        for (int j = 0; j < n; j++) {
            float x0 = b0[j];
            float x1 = b1[j];
            float x2 = b2[j];
            float x3 = b3[j];
            c0[j] = Math.fma(a03, x3, Math.fma(a02, x2, Math.fma(a01, x1, Math.fma(a00, x0, c0[j]))));
            c1[j] = Math.fma(a13, x3, Math.fma(a12, x2, Math.fma(a11, x1, Math.fma(a10, x0, c1[j]))));
            c2[j] = Math.fma(a23, x3, Math.fma(a22, x2, Math.fma(a21, x1, Math.fma(a20, x0, c2[j]))));
            c3[j] = Math.fma(a33, x3, Math.fma(a32, x2, Math.fma(a31, x1, Math.fma(a30, x0, c3[j]))));
        }
    }

    private static void oneByEight(float[] c, float[][] b, int k, float[] a, int at, int n) {
        eight(c, b[k], b[k + 1], b[k + 2], b[k + 3], b[k + 4], b[k + 5], b[k + 6], b[k + 7], a, at, n);
    }

    private static void eight(
            float[] c,
            float[] b0,
            float[] b1,
            float[] b2,
            float[] b3,
            float[] b4,
            float[] b5,
            float[] b6,
            float[] b7,
            float[] a,
            int at,
            int n) {
        float a0 = a[at];
        float a1 = a[at + 1];
        float a2 = a[at + 2];
        float a3 = a[at + 3];
        float a4 = a[at + 4];
        float a5 = a[at + 5];
        float a6 = a[at + 6];
        float a7 = a[at + 7];
        for (int j = 0; j < n; j++) {
            float low = Math.fma(a3, b3[j], Math.fma(a2, b2[j], Math.fma(a1, b1[j], Math.fma(a0, b0[j], c[j]))));
            c[j] = Math.fma(a7, b7[j], Math.fma(a6, b6[j], Math.fma(a5, b5[j], Math.fma(a4, b4[j], low))));
        }
    }

    private static void oneByFour(float[] c, float[] b0, float[] b1, float[] b2, float[] b3, float[] a, int at, int n) {
        float a0 = a[at];
        float a1 = a[at + 1];
        float a2 = a[at + 2];
        float a3 = a[at + 3];
        for (int j = 0; j < n; j++) {
            c[j] = Math.fma(a3, b3[j], Math.fma(a2, b2[j], Math.fma(a1, b1[j], Math.fma(a0, b0[j], c[j]))));
        }
    }
}
