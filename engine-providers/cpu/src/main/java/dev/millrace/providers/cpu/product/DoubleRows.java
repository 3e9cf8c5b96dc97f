package dev.millrace.providers.cpu.product;

/** The innermost loops of a product of doubles, by the rules of {@link RowKernels}. */
final class DoubleRows {
    /** Rows and terms that are added at a time: a depth is a multiple of it. */
    static final int TOGETHER = 4;

    private DoubleRows() {}

    /** The depth with the terms, zeros to be, that fill its last group. */
    static int padded(int depth) {
        return Math.ceilDiv(depth, TOGETHER) * TOGETHER;
    }

    /** {@code c[r][j] += Σ a[r][k] · b[k][j]} for {@code m} rows, {@code depth} terms and {@code n} columns. */
    static void accumulate(double[][] c, int m, double[][] a, double[][] b, int depth, int n) {
        int row = 0;
        for (; row + TOGETHER <= m; row += TOGETHER) {
            for (int k = 0; k < depth; k += TOGETHER) {
                addFour(c, row, a, b, k, n);
            }
        }
        for (; row < m; row++) {
            for (int k = 0; k < depth; k += TOGETHER) {
                addOne(c[row], a[row], b, k, n);
            }
        }
    }

    private static void addFour(double[][] c, int row, double[][] a, double[][] b, int k, int n) {
        double a00 = a[row][k];
        double a01 = a[row][k + 1];
        double a02 = a[row][k + 2];
        double a03 = a[row][k + 3];
        double a10 = a[row + 1][k];
        double a11 = a[row + 1][k + 1];
        double a12 = a[row + 1][k + 2];
        double a13 = a[row + 1][k + 3];
        double a20 = a[row + 2][k];
        double a21 = a[row + 2][k + 1];
        double a22 = a[row + 2][k + 2];
        double a23 = a[row + 2][k + 3];
        double a30 = a[row + 3][k];
        double a31 = a[row + 3][k + 1];
        double a32 = a[row + 3][k + 2];
        double a33 = a[row + 3][k + 3];
        double[] b0 = b[k];
        double[] b1 = b[k + 1];
        double[] b2 = b[k + 2];
        double[] b3 = b[k + 3];
        double[] c0 = c[row];
        double[] c1 = c[row + 1];
        double[] c2 = c[row + 2];
        double[] c3 = c[row + 3];
        for (int j = 0; j < n; j++) {
            double x0 = b0[j];
            double x1 = b1[j];
            double x2 = b2[j];
            double x3 = b3[j];
            c0[j] = Math.fma(a03, x3, Math.fma(a02, x2, Math.fma(a01, x1, Math.fma(a00, x0, c0[j]))));
            c1[j] = Math.fma(a13, x3, Math.fma(a12, x2, Math.fma(a11, x1, Math.fma(a10, x0, c1[j]))));
            c2[j] = Math.fma(a23, x3, Math.fma(a22, x2, Math.fma(a21, x1, Math.fma(a20, x0, c2[j]))));
            c3[j] = Math.fma(a33, x3, Math.fma(a32, x2, Math.fma(a31, x1, Math.fma(a30, x0, c3[j]))));
        }
    }

    private static void addOne(double[] c, double[] a, double[][] b, int k, int n) {
        double a0 = a[k];
        double a1 = a[k + 1];
        double a2 = a[k + 2];
        double a3 = a[k + 3];
        double[] b0 = b[k];
        double[] b1 = b[k + 1];
        double[] b2 = b[k + 2];
        double[] b3 = b[k + 3];
        for (int j = 0; j < n; j++) {
            c[j] = Math.fma(a3, b3[j], Math.fma(a2, b2[j], Math.fma(a1, b1[j], Math.fma(a0, b0[j], c[j]))));
        }
    }
}
