package dev.millrace.scheduler.kernel;

import java.util.Arrays;

/**
 * Arrays that a thread keeps from launch to launch, so that kernels allocate nothing in steady state. A slot's array is
 * at least as long as asked, holds garbage, and stays the caller's until the same slot is asked for again.
 */
public final class Scratch {
    private static final int SLOTS = 8;

    private final float[][] floats = new float[SLOTS][0];
    private final double[][] doubles = new double[SLOTS][0];
    private final long[][] longs = new long[SLOTS][0];
    private final int[][] ints = new int[SLOTS][0];
    private final float[][][] rows = new float[SLOTS][0][0];

    public float[] floats(int slot, int length) {
        if (floats[slot].length < length) {
            floats[slot] = new float[grown(length)];
        }
        return floats[slot];
    }

    public double[] doubles(int slot, int length) {
        if (doubles[slot].length < length) {
            doubles[slot] = new double[grown(length)];
        }
        return doubles[slot];
    }

    public long[] longs(int slot, int length) {
        if (longs[slot].length < length) {
            longs[slot] = new long[grown(length)];
        }
        return longs[slot];
    }

    public int[] ints(int slot, int length) {
        if (ints[slot].length < length) {
            ints[slot] = new int[grown(length)];
        }
        return ints[slot];
    }

    /**
     * At least {@code count} separate arrays. The compiler turns a loop over several arrays into vector instructions
     * where all are read at one common index, not where they are parts of one array at different offsets.
     */
    public float[][] rows(int slot, int count, int length) {
        float[][] held = rows[slot];
        if (held.length < count || (count > 0 && held[0].length < length)) {
            int width = grown(Math.max(length, held.length == 0 ? 0 : held[0].length));
            held = new float[Math.max(count, held.length)][width];
            rows[slot] = held;
        }
        return held;
    }

    /** Like {@link #floats} with the first {@code length} elements zero. */
    public float[] zeroedFloats(int slot, int length) {
        float[] array = floats(slot, length);
        Arrays.fill(array, 0, length, 0f);
        return array;
    }

    private static int grown(int length) {
        return (int) Math.clamp((length + 255L) & ~255L, 256, Integer.MAX_VALUE - 8);
    }
}
