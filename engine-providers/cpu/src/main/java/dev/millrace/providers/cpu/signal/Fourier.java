package dev.millrace.providers.cpu.signal;

import dev.millrace.scheduler.kernel.RunServices;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * The discrete Fourier transform of one length. Powers of two are transformed by the radix-2 FFT (Cooley-Tukey); other
 * lengths become a convolution of such a length (Bluestein). Immutable; it uses slots 4 and 5 of the doubles of a
 * scratch.
 */
final class Fourier {
    /** The number of butterflies between two checks for cancellation. */
    private static final int AT_ONCE = 1 << 16;

    private final int length;
    /** The twiddle factors: cosines and sines of {@code -2 pi k / size}. */
    private final double[] cosines;

    private final double[] sines;
    private final int size;
    /** Bluestein's chirp, and the transform of its conjugate, for lengths that are no power of two. */
    private final double[] chirpRe;

    private final double[] chirpIm;
    private final double[] filterRe;
    private final double[] filterIm;

    /** @param run checked for cancellation, since tables of long transforms take a while */
    Fourier(int length, RunServices run) {
        this.length = length;
        boolean direct = Integer.bitCount(length) == 1;
        this.size = direct ? length : Integer.highestOneBit(2 * length - 1) * 2;
        this.cosines = new double[Math.max(1, size / 2)];
        this.sines = new double[cosines.length];
        for (int k = 0; k < cosines.length; k++) {
            run.checkCancelled(k);
            cosines[k] = Math.cos(2 * Math.PI * k / size);
            sines[k] = -Math.sin(2 * Math.PI * k / size);
        }
        int chirp = direct ? 0 : length;
        this.chirpRe = new double[chirp];
        this.chirpIm = new double[chirp];
        this.filterRe = new double[direct ? 0 : size];
        this.filterIm = new double[direct ? 0 : size];
        for (int k = 0; k < chirp; k++) {
            run.checkCancelled(k);
            double angle = Math.PI * ((long) k * k % (2L * length)) / length;
            chirpRe[k] = Math.cos(angle);
            chirpIm[k] = -Math.sin(angle);
            filterRe[k] = chirpRe[k];
            filterIm[k] = -chirpIm[k];
            if (k > 0) {
                filterRe[size - k] = chirpRe[k];
                filterIm[size - k] = -chirpIm[k];
            }
        }
        if (!direct) {
            byHalves(filterRe, filterIm, run);
        }
    }

    int length() {
        return length;
    }

    /** Transforms in place. The inverse is not divided by the length. */
    void transform(double[] re, double[] im, boolean inverse, Scratch scratch, RunServices run) {
        // the inverse is the transform with real and imaginary parts exchanged
        double[] x = inverse ? im : re;
        double[] y = inverse ? re : im;
        if (size == length) {
            byHalves(x, y, run);
        } else {
            byConvolution(x, y, scratch, run);
        }
    }

    private void byHalves(double[] re, double[] im, RunServices run) {
        for (int i = 1, j = 0; i < size; i++) {
            run.checkCancelled(i);
            int bit = size >> 1;
            for (; (j & bit) != 0; bit >>= 1) {
                j ^= bit;
            }
            j ^= bit;
            if (i < j) {
                swap(re, i, j);
                swap(im, i, j);
            }
        }
        for (int half = 1; half < size; half *= 2) {
            int step = size / (2 * half);
            for (int start = 0; start < size; start += 2 * half) {
                for (int from = 0; from < half; from += AT_ONCE) {
                    run.checkCancelled(start);
                    butterflies(re, im, start, half, step, from, Math.min(half - from, AT_ONCE) + from);
                }
            }
        }
    }

    private void butterflies(double[] re, double[] im, int start, int half, int step, int from, int to) {
        for (int k = from; k < to; k++) {
            int a = start + k;
            int b = a + half;
            double c = cosines[k * step];
            double s = sines[k * step];
            double x = re[b] * c - im[b] * s;
            double y = re[b] * s + im[b] * c;
            re[b] = re[a] - x;
            im[b] = im[a] - y;
            re[a] += x;
            im[a] += y;
        }
    }

    private static void swap(double[] values, int i, int j) {
        double kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }

    private void byConvolution(double[] re, double[] im, Scratch scratch, RunServices run) {
        double[] x = scratch.doubles(4, size);
        double[] y = scratch.doubles(5, size);
        Arrays.fill(x, 0, size, 0);
        Arrays.fill(y, 0, size, 0);
        for (int k = 0; k < length; k++) {
            run.checkCancelled(k);
            x[k] = re[k] * chirpRe[k] - im[k] * chirpIm[k];
            y[k] = re[k] * chirpIm[k] + im[k] * chirpRe[k];
        }
        byHalves(x, y, run);
        for (int k = 0; k < size; k++) {
            run.checkCancelled(k);
            double a = x[k] * filterRe[k] - y[k] * filterIm[k];
            double b = x[k] * filterIm[k] + y[k] * filterRe[k];
            // exchanged, so that the next transform is the inverse
            x[k] = b;
            y[k] = a;
        }
        byHalves(x, y, run);
        for (int k = 0; k < length; k++) {
            run.checkCancelled(k);
            double a = y[k] / size;
            double b = x[k] / size;
            re[k] = a * chirpRe[k] - b * chirpIm[k];
            im[k] = a * chirpIm[k] + b * chirpRe[k];
        }
    }
}
