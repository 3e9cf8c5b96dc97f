package dev.millrace.kernels.fft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The recognition of weights that are a discrete Fourier transform under a window: a row of cosines for each frequency
 * from zero to half the points, and a row of sines.
 *
 * @param points points of a frame: a power of two for which {@link #isLength} holds
 */
public record Sinusoids(int points) {
    /** The relative tolerance for sinusoids that were rounded to floats, and for angles with accumulated errors. */
    private static final double OF_LARGEST = 1e-6;

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** The order of the rows that were inspected. */
    public enum Order {
        /** The rows are no transform. */
        NONE,
        COSINES_FIRST,
        SINES_FIRST
    }

    /** Whether transforms of this number of points are supported. */
    public static boolean isLength(long points) {
        return points >= FourierTables.LEAST_POINTS
                && points <= FourierTables.MOST_POINTS
                && Long.bitCount(points) == 1;
    }

    /** The number of rows of each kind. */
    public int frequencies() {
        return points / 2 + 1;
    }

    /** The time of a frame, counted in elements that are computed with. */
    public long work() {
        return (long) points * (Integer.SIZE - Integer.numberOfLeadingZeros(points));
    }

    /** The size of the tables that {@link #pack} writes in bytes. */
    public long packedBytes() {
        return new FourierTables(points).bytes();
    }

    /**
     * Inspects rows and writes their order, and if they are a transform, the tables with which {@link Spectra} computes
     * it.
     */
    public void pack(MemorySegment first, MemorySegment second, MemorySegment target) {
        double[] turns = new double[points];
        for (int i = 0; i < points; i++) {
            turns[i] = Math.cos(2 * Math.PI * i / points);
        }
        boolean sinesFirst = isZero(row(first, 0));
        MemorySegment cosines = sinesFirst ? second : first;
        MemorySegment sines = sinesFirst ? first : second;
        double[] window = new double[points];
        float[] still = row(cosines, 0);
        double largest = 0;
        for (int i = 0; i < points; i++) {
            window[i] = still[i];
            largest = Math.max(largest, Math.abs(window[i]));
        }
        double sign = Math.signum(product(row(sines, 1), window, turns));
        double tolerance = OF_LARGEST * largest;
        boolean found = sign != 0
                && isTurned(cosines, window, 1, turns, 0, tolerance)
                && isTurned(sines, window, sign, turns, points / 4, tolerance);
        if (found) {
            new FourierTables(points).fill(window, (int) sign, target);
        }
        Order order = !found ? Order.NONE : sinesFirst ? Order.SINES_FIRST : Order.COSINES_FIRST;
        target.set(INT, 0, order.ordinal());
    }

    /** The order that was found when these tables were packed. */
    public static Order order(MemorySegment packed) {
        return Order.values()[packed.get(INT, 0)];
    }

    /** Returns the row of a frequency as an array: single reads of memory are slow until they are compiled. */
    private float[] row(MemorySegment rows, long frequency) {
        return rows.asSlice(frequency * points * Float.BYTES, (long) points * Float.BYTES)
                .toArray(FLOAT);
    }

    private static boolean isZero(float[] row) {
        for (float value : row) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the product of the sine row of frequency 1 with the row that is expected there: positive unless its sign
     * is inverted.
     */
    private double product(float[] sine, double[] window, double[] turns) {
        double sum = 0;
        for (int i = 0; i < points; i++) {
            sum += sine[i] * window[i] * turns[(i + points - points / 4) % points];
        }
        return sum;
    }

    /**
     * Whether each row is the window times a sinusoid of one more turn than the row before, starting {@code behind}
     * points late.
     */
    private boolean isTurned(
            MemorySegment rows, double[] window, double sign, double[] turns, int behind, double tolerance) {
        for (int frequency = 0; frequency < frequencies(); frequency++) {
            if (!isTurned(row(rows, frequency), window, sign, turns, points - behind, frequency, tolerance)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isTurned(
            float[] row, double[] window, double sign, double[] turns, int first, int step, double tolerance) {
        int last = turns.length - 1;
        int turn = first;
        for (int i = 0; i < row.length; i++) {
            double wanted = sign * window[i] * turns[turn & last];
            // // written such that NaN is refused, too
            if (!(Math.abs(row[i] - wanted) <= tolerance)) {
                return false;
            }
            turn += step;
        }
        return true;
    }
}
