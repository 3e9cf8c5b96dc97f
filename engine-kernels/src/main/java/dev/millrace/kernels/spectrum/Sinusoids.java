package dev.millrace.kernels.spectrum;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Tells weights that are a discrete Fourier transform under a window: a row of cosines for each frequency from none to half
 * the points, and a row of sines.
 *
 * @param points of a frame: a power of two, as {@link #isLength} says
 */
public record Sinusoids(int points) {
    /** What rounding to floats leaves of sinusoids, and of angles that grew a little off. */
    private static final double OF_LARGEST = 1e-6;

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** What the rows that were looked at are. */
    public enum Order {
        /** No transform. */
        NONE,
        COSINES_FIRST,
        SINES_FIRST
    }

    /** Whether there are transforms of so many points. */
    public static boolean isLength(long points) {
        return points >= FourierTables.LEAST_POINTS
                && points <= FourierTables.MOST_POINTS
                && Long.bitCount(points) == 1;
    }

    /** Rows of each kind. */
    public int frequencies() {
        return points / 2 + 1;
    }

    /** About as much as so many elements that are computed with, for a frame. */
    public long work() {
        return (long) points * (Integer.SIZE - Integer.numberOfLeadingZeros(points));
    }

    /** Bytes of what {@link #pack} writes. */
    public long packedBytes() {
        return new FourierTables(points).bytes();
    }

    /** Writes what the rows are, and if that is a transform, what {@link Spectra} need to compute it. */
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

    /** What was found when these were packed. */
    public static Order order(MemorySegment packed) {
        return Order.values()[packed.get(INT, 0)];
    }

    /** Of a frequency, as an array: single reads of memory are slow until they are compiled. */
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

    /** Of the sine of one turn with what its row would be: positive where it is not the other way round. */
    private double product(float[] sine, double[] window, double[] turns) {
        double sum = 0;
        for (int i = 0; i < points; i++) {
            sum += sine[i] * window[i] * turns[(i + points - points / 4) % points];
        }
        return sum;
    }

    /** Whether each row is the window times so many turns more than the one before, a number of points behind. */
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
            // a number that is none is no transform either
            if (!(Math.abs(row[i] - wanted) <= tolerance)) {
                return false;
            }
            turn += step;
        }
        return true;
    }
}
