package dev.millrace.text.speech;

import dev.millrace.graph.EngineException;
import java.math.BigInteger;

/**
 * Resampling by a windowed sinc function (Smith 1984, digital audio resampling). A new sample lies at one of a few distances behind an old one;
 * each distance has its weights, which are computed once.
 */
public final class SincResampling {
    /** The zero crossings of the sinc function on each side of a sample. */
    private static final int CROSSINGS = 16;
    /** The cutoff frequency, as a share of the lower one of the two Nyquist frequencies. */
    private static final double CUTOFF = 0.95;
    /** The largest number of weights that are kept. */
    private static final long MOST_WEIGHTS = 1 << 22;

    private SincResampling() {}

    /** Returns samples at another rate, without the frequencies that it cannot have. */
    public static float[] resample(float[] samples, int rate, int toRate) {
        int common = BigInteger.valueOf(rate).gcd(BigInteger.valueOf(toRate)).intValueExact();
        long step = rate / common;
        int distances = toRate / common;
        double cutoff = CUTOFF * Math.min(1, (double) toRate / rate);
        double reach = CROSSINGS / cutoff;
        int side = (int) Math.ceil(reach);
        float[] made = new float[length(samples.length, rate, toRate)];
        boolean isKept = 2L * distances * side <= MOST_WEIGHTS;
        double[][] weights = new double[isKept ? distances : 1][];
        for (int i = 0; i < made.length; i++) {
            int at = (int) (i * step / distances);
            // the distances repeat after as many samples as there are distances
            int row = isKept ? i % distances : 0;
            if (weights[row] == null || !isKept) {
                weights[row] = weights((double) (i * step % distances) / distances, cutoff, reach, side);
            }
            double[] own = weights[row];
            double sum = 0;
            int first = at - side;
            for (int j = Math.max(0, first); j < Math.min(samples.length, first + own.length); j++) {
                sum += samples[j] * own[j - first];
            }
            made[i] = (float) sum;
        }
        return made;
    }

    private static int length(int samples, int rate, int toRate) {
        long length = Math.ceilDiv((long) samples * toRate, (long) rate);
        if (length > Integer.MAX_VALUE - 8) {
            throw EngineException.invalidArgument(
                    "a sound of " + samples + " samples at " + rate + " Hz is too long to have " + toRate + " Hz");
        }
        return (int) length;
    }

    /** The weights of old samples around a new one, which lies between the one in the middle and the next one. */
    private static double[] weights(double behind, double cutoff, double reach, int side) {
        double[] weights = new double[2 * side + 2];
        for (int i = 0; i < weights.length; i++) {
            double distance = behind + side - i;
            weights[i] = Math.abs(distance) <= reach ? weight(distance, cutoff, reach) : 0;
        }
        return weights;
    }

    /** The sinc function under a Hann window. */
    private static double weight(double distance, double cutoff, double reach) {
        double x = Math.PI * cutoff * distance;
        double sinc = x == 0 ? 1 : Math.sin(x) / x;
        return cutoff * sinc * (0.5 + 0.5 * Math.cos(Math.PI * distance / reach));
    }
}
