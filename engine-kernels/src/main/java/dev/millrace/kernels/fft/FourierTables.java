package dev.millrace.kernels.fft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The tables of {@link FrameSpectra}: a cache line with the sign of the sines, the window, the twiddle factors of the
 * transforms of each size, and the positions and twiddle factors of pairs of numbers.
 *
 * @param points points of a frame
 */
record FourierTables(int points) {
    static final int LEAST_POINTS = 64;
    static final int MOST_POINTS = 4096;

    /** Bytes of three twiddle factors, each a cosine and a sine. */
    static final int TURNS_BYTES = 6 * Float.BYTES;
    /** Bytes of two positions, a cosine and a sine. */
    static final int PAIR_BYTES = 4 * Integer.BYTES;

    private static final int LINE_BYTES = 64;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** The number of complex numbers that are transformed. */
    int numbers() {
        return points / 2;
    }

    int signOffset() {
        return LINE_BYTES - Float.BYTES;
    }

    int windowOffset() {
        return LINE_BYTES;
    }

    /**
     * The offset of the twiddle factors between a transform of {@code size} numbers and its four transforms of a
     * quarter.
     */
    int turnsOffset(int size) {
        int offset = windowOffset() + points * Float.BYTES;
        for (int larger = numbers(); larger > size; larger /= 4) {
            offset += larger / 4 * TURNS_BYTES;
        }
        return offset;
    }

    int pairsOffset() {
        return turnsOffset(1);
    }

    int bytes() {
        return pairsOffset() + numbers() / 2 * PAIR_BYTES;
    }

    /** @param sign the sign of the sines: -1 for those of a Fourier transform */
    void fill(double[] window, int sign, MemorySegment target) {
        target.set(FLOAT, signOffset(), -sign);
        for (int i = 0; i < points; i++) {
            // // halved here, since numbers and their mirror images are added without being halved
            target.set(FLOAT, windowOffset() + (long) i * Float.BYTES, (float) (window[i] / 2));
        }
        for (int size = numbers(); size >= 4; size /= 4) {
            long at = turnsOffset(size);
            for (int i = 0; i < size / 4; i++) {
                for (int turn = 1; turn <= 3; turn++) {
                    put(target, at, (double) turn * i / size);
                    at += 2 * Float.BYTES;
                }
            }
        }
        long at = pairsOffset();
        for (int i = 1; i <= numbers() / 2; i++) {
            target.set(INT, at, place(i, numbers()));
            target.set(INT, at + Integer.BYTES, place(numbers() - i, numbers()));
            put(target, at + 2 * Integer.BYTES, (double) i / points);
            at += PAIR_BYTES;
        }
    }

    private static void put(MemorySegment target, long at, double turn) {
        target.set(FLOAT, at, (float) Math.cos(2 * Math.PI * turn));
        target.set(FLOAT, at + Float.BYTES, (float) Math.sin(2 * Math.PI * turn));
    }

    /** Returns the digit-reversed position at which the radix-4 transform, which is in place, leaves a number. */
    private static int place(int number, int size) {
        if (size <= 2) {
            return number;
        }
        int quarter = size / 4;
        return number % 4 * quarter + place(number / 4, quarter);
    }
}
