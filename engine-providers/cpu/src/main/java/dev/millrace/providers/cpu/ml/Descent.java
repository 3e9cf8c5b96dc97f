package dev.millrace.providers.cpu.ml;

import org.jspecify.annotations.Nullable;

/**
 * The trees of a forest as tables that are walked without branches, four trees at a time, since the processor cannot
 * predict which way a sample goes. The two children of a node are adjacent, and a leaf is its own child.
 *
 * @param roots the root of each tree
 * @param depths the length of each tree's longest walk, in steps
 * @param missing whether a sample without the feature (NaN) goes to the child for values above the split: 1, else 0
 * @param links the feature that a node compares in the low half, and the child for values up to the split in the high
 *     half
 * @param places the nodes of the forest that the entries stand for
 */
record Descent(
        int[] roots, int[] depths, byte[] missing, long[] links, double[] splits, int[] places, int mostFeature) {
    /** The bits of a double with the least exponent above 0. */
    private static final long LEAST_EXPONENT = 1L << 52;

    private static final long INFINITY = Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);

    /** The number of trees that are walked together. */
    static final int TOGETHER = 4;

    /** Returns the tables of a forest; null where its trees are too deep or cannot be expressed. */
    static @Nullable Descent of(Forest forest) {
        return new Planting(forest).plant();
    }

    /** Returns the number of steps of the longest walk in four trees. */
    int mostSteps(int tree) {
        int most = 0;
        for (int i = tree; i < tree + TOGETHER; i++) {
            most = Math.max(most, depths[i]);
        }
        return most;
    }

    /** Whether all numbers are finite: adding one to the exponent of one that is not carries into the sign. */
    static boolean areFinite(double[] x, int count) {
        long all = 0;
        for (int i = 0; i < count; i++) {
            all |= (Double.doubleToRawLongBits(x[i]) & Long.MAX_VALUE) + LEAST_EXPONENT;
        }
        return all >= 0;
    }

    /** Returns the leaf that the sample at {@code at} reaches. */
    int leaf(double[] x, int at, int root, boolean odd) {
        int node = root;
        for (int before = -1; node != before; ) {
            before = node;
            node = step(x, at, node, odd);
        }
        return node;
    }

    /**
     * Walks four trees at most so many steps, replacing their roots in {@code nodes} by the leaves that are reached.
     */
    void leaves(int steps, double[] x, boolean odd, int at0, int at1, int at2, int at3, int[] nodes) {
        int n0 = nodes[0];
        int n1 = nodes[1];
        int n2 = nodes[2];
        int n3 = nodes[3];
        int moved = 1;
        for (int left = steps; left > 0 && moved != 0; left--) {
            int m0 = step(x, at0, n0, odd);
            int m1 = step(x, at1, n1, odd);
            int m2 = step(x, at2, n2, odd);
            int m3 = step(x, at3, n3, odd);
            moved = m0 ^ n0 | m1 ^ n1 | m2 ^ n2 | m3 ^ n3;
            n0 = m0;
            n1 = m1;
            n2 = m2;
            n3 = m3;
        }
        nodes[0] = n0;
        nodes[1] = n1;
        nodes[2] = n2;
        nodes[3] = n3;
    }

    /** @param odd whether there may be features that are not finite */
    private int step(double[] x, int at, int node, boolean odd) {
        long link = links[node];
        long difference = Double.doubleToRawLongBits(splits[node] - x[at + (int) link]);
        long isAbove = difference >>> (Long.SIZE - 1);
        if (odd) {
            long isMissing = (INFINITY - (difference & Long.MAX_VALUE)) >>> (Long.SIZE - 1);
            isAbove = isAbove & ~isMissing | missing[node] & isMissing;
        }
        return (int) ((link >>> Integer.SIZE) + isAbove);
    }
}
