package dev.millrace.scheduler.pool;

import java.util.Arrays;

/**
 * Arrays that a thread keeps from work to work, so that loops and kernels allocate nothing in steady state. A slot's array is
 * at least as long as requested, has undefined content, and belongs to the caller until the same slot is requested
 * again.
 */
public final class Scratch {
    private static final int SLOTS = 8;
    /** The length up to which {@link #trim} keeps arrays. */
    private static final int SMALL = 1 << 14;

    private final float[][] floats = new float[SLOTS][0];
    private final double[][] doubles = new double[SLOTS][0];
    private final long[][] longs = new long[SLOTS][0];
    private final int[][] ints = new int[SLOTS][0];
    private final float[][][] rows = new float[SLOTS][0][0];
    private final double[][][] doubleRows = new double[SLOTS][0][0];
    /** The longest length that was requested since the last trim, by kind and slot. */
    private final int[] asked = new int[Kind.values().length * SLOTS];

    private enum Kind {
        FLOATS,
        DOUBLES,
        LONGS,
        INTS,
        ROWS,
        DOUBLE_ROWS
    }

    public float[] floats(int slot, int length) {
        note(Kind.FLOATS, slot, length);
        if (floats[slot].length < length) {
            floats[slot] = new float[grown(length)];
        }
        return floats[slot];
    }

    public double[] doubles(int slot, int length) {
        note(Kind.DOUBLES, slot, length);
        if (doubles[slot].length < length) {
            doubles[slot] = new double[grown(length)];
        }
        return doubles[slot];
    }

    public long[] longs(int slot, int length) {
        note(Kind.LONGS, slot, length);
        if (longs[slot].length < length) {
            longs[slot] = new long[grown(length)];
        }
        return longs[slot];
    }

    public int[] ints(int slot, int length) {
        note(Kind.INTS, slot, length);
        if (ints[slot].length < length) {
            ints[slot] = new int[grown(length)];
        }
        return ints[slot];
    }

    /**
     * Returns at least {@code count} separate arrays. The JIT compiler vectorises a loop over several arrays that are
     * read at one common index, but not over parts of one array at different offsets.
     */
    public float[][] rows(int slot, int count, int length) {
        float[][] held = rows[slot];
        note(Kind.ROWS, slot, count * Math.max(1, length));
        if (held.length < count || (count > 0 && held[0].length < length)) {
            int width = grown(Math.max(length, held.length == 0 ? 0 : held[0].length));
            held = new float[Math.max(count, held.length)][width];
            rows[slot] = held;
        }
        return held;
    }

    /** Returns at least {@code count} separate arrays of doubles, which have their own slots; see {@link #rows}. */
    public double[][] doubleRows(int slot, int count, int length) {
        double[][] held = doubleRows[slot];
        note(Kind.DOUBLE_ROWS, slot, count * Math.max(1, length));
        if (held.length < count || (count > 0 && held[0].length < length)) {
            int width = grown(Math.max(length, held.length == 0 ? 0 : held[0].length));
            held = new double[Math.max(count, held.length)][width];
            doubleRows[slot] = held;
        }
        return held;
    }

    /** Returns {@link #floats} with the first {@code length} elements zero. */
    public float[] zeroedFloats(int slot, int length) {
        float[] array = floats(slot, length);
        Arrays.fill(array, 0, length, 0f);
        return array;
    }

    private void note(Kind kind, int slot, int length) {
        int at = kind.ordinal() * SLOTS + slot;
        if (asked[at] < length) {
            asked[at] = length;
        }
    }

    /**
     * Drops arrays that are more than twice as long as requested since the last call. Must be called by the thread that
     * uses them.
     */
    public void trim() {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (isTooLong(Kind.FLOATS, slot, floats[slot].length)) {
                floats[slot] = new float[0];
            }
            if (isTooLong(Kind.DOUBLES, slot, doubles[slot].length)) {
                doubles[slot] = new double[0];
            }
            if (isTooLong(Kind.LONGS, slot, longs[slot].length)) {
                longs[slot] = new long[0];
            }
            if (isTooLong(Kind.INTS, slot, ints[slot].length)) {
                ints[slot] = new int[0];
            }
            int length = rows[slot].length == 0 ? 0 : rows[slot].length * rows[slot][0].length;
            if (isTooLong(Kind.ROWS, slot, length)) {
                rows[slot] = new float[0][0];
            }
            length = doubleRows[slot].length == 0 ? 0 : doubleRows[slot].length * doubleRows[slot][0].length;
            if (isTooLong(Kind.DOUBLE_ROWS, slot, length)) {
                doubleRows[slot] = new double[0][0];
            }
        }
        Arrays.fill(asked, 0);
    }

    private boolean isTooLong(Kind kind, int slot, int length) {
        return length > SMALL && length > 2L * asked[kind.ordinal() * SLOTS + slot];
    }

    private static int grown(int length) {
        return (int) Math.clamp((length + 255L) & ~255L, 256, Integer.MAX_VALUE - 8);
    }
}
