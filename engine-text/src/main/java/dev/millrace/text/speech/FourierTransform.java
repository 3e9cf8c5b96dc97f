package dev.millrace.text.speech;

/**
 * A discrete Fourier transform of 400 complex numbers by the mixed-radix algorithm of Cooley and Tukey, in Stockham's order. For
 * one thread.
 */
final class FourierTransform {
    static final int SIZE = 400;
    private static final int[] RADICES = {4, 4, 5, 5};
    private static final double[] COS = new double[SIZE];
    private static final double[] SIN = new double[SIZE];

    static {
        for (int i = 0; i < SIZE; i++) {
            COS[i] = Math.cos(2 * Math.PI * i / SIZE);
            SIN[i] = -Math.sin(2 * Math.PI * i / SIZE);
        }
    }

    private double[] re = new double[SIZE];
    private double[] im = new double[SIZE];
    private double[] nextRe = new double[SIZE];
    private double[] nextIm = new double[SIZE];

    /** The real parts: the input before {@link #run}, the result behind it. */
    double[] re() {
        return re;
    }

    /** The imaginary parts. */
    double[] im() {
        return im;
    }

    void run() {
        int length = 1;
        for (int radix : RADICES) {
            combine(length, radix);
            length *= radix;
            double[] swap = re;
            re = nextRe;
            nextRe = swap;
            swap = im;
            im = nextIm;
            nextIm = swap;
        }
    }

    /** Makes transforms of {@code radix} times the length of those of {@code length} numbers. */
    private void combine(int length, int radix) {
        int count = SIZE / (length * radix);
        for (int r = 0; r < count; r++) {
            for (int bin = 0; bin < length * radix; bin++) {
                double sumRe = 0;
                double sumIm = 0;
                int from = r * length + bin % length;
                int turn = 0;
                for (int q = 0; q < radix; q++) {
                    sumRe += re[from] * COS[turn] - im[from] * SIN[turn];
                    sumIm += re[from] * SIN[turn] + im[from] * COS[turn];
                    from += count * length;
                    turn = (turn + bin * count) % SIZE;
                }
                nextRe[r * length * radix + bin] = sumRe;
                nextIm[r * length * radix + bin] = sumIm;
            }
        }
    }
}
