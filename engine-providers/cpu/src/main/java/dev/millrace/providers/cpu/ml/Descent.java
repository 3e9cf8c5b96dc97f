package dev.millrace.providers.cpu.ml;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The trees of a forest as tables that are walked without branches, four at a time, since which way a sample goes is what a
 * processor cannot guess. It is for samples without NaN and infinite features. The two nodes behind a node stand side by
 * side; a leaf leads to itself.
 *
 * @param roots where each tree starts
 * @param depths how many steps its longest walk has
 * @param links the feature that a node compares, and above it where those go whose feature is at most the split
 * @param places the nodes of the forest that these are
 */
record Descent(int[] roots, int[] depths, long[] links, double[] splits, int[] places, int mostFeature) {
    /** Longer walks look at cancellation on the way. */
    private static final int MOST_STEPS = 1000;

    /** Walks that go on together. */
    static final int TOGETHER = 4;

    /** Of a forest of no deep trees whose nodes all compare by order; null for others. */
    static @Nullable Descent of(Forest forest) {
        int count = forest.modes().length;
        var roots = new int[forest.roots().length];
        var depths = new int[roots.length];
        var links = new long[count];
        var splits = new double[count];
        var places = new int[count];
        var levels = new int[count];
        var met = new boolean[count];
        int made = 0;
        int open = 0;
        for (int tree = 0; tree < roots.length; tree++) {
            roots[tree] = made;
            if (!meet(met, forest.roots()[tree])) {
                return null;
            }
            places[made++] = forest.roots()[tree];
            for (; open < made; open++) {
                int node = places[open];
                if (forest.modes()[node] == Forest.Mode.LEAF) {
                    links[open] = link(open, 0);
                    splits[open] = Double.POSITIVE_INFINITY;
                    continue;
                }
                double split = split(forest, node);
                boolean rises = isHeldByHigh(forest.modes()[node]);
                int low = (rises ? forest.whenFalse() : forest.whenTrue())[node];
                int high = (rises ? forest.whenTrue() : forest.whenFalse())[node];
                if (!Double.isFinite(split) || levels[open] == MOST_STEPS || !meet(met, low) || !meet(met, high)) {
                    return null;
                }
                depths[tree] = levels[open] + 1;
                Arrays.fill(levels, made, made + 2, levels[open] + 1);
                links[open] = link(made, forest.features()[node]);
                splits[open] = split;
                places[made++] = low;
                places[made++] = high;
            }
        }
        int most = Arrays.stream(links).mapToInt(link -> (int) link).max().orElse(0);
        return new Descent(roots, depths, links, splits, places, most);
    }

    /** False for a node that another one leads to already, as in no tree. */
    private static boolean meet(boolean[] met, int node) {
        boolean isNew = !met[node];
        met[node] = true;
        return isNew;
    }

    private static long link(int low, int feature) {
        return (long) low << Integer.SIZE | feature;
    }

    private static boolean isHeldByHigh(Forest.Mode mode) {
        return mode == Forest.Mode.BRANCH_GT || mode == Forest.Mode.BRANCH_GTE;
    }

    /** The highest feature that goes one way where all higher ones go the other; NaN where nodes compare otherwise. */
    private static double split(Forest forest, int node) {
        double split = forest.splits()[node];
        double last = switch (forest.modes()[node]) {
            case BRANCH_LEQ, BRANCH_GT -> split;
            case BRANCH_LT, BRANCH_GTE -> Math.nextDown(split);
            case BRANCH_EQ, BRANCH_NEQ, BRANCH_MEMBER, LEAF -> Double.NaN;
        };
        // a difference of zero has no sign where the split has none
        return last + 0.0;
    }

    /** The steps of the longest walk in four trees. */
    int mostSteps(int tree) {
        int most = 0;
        for (int i = tree; i < tree + TOGETHER; i++) {
            most = Math.max(most, depths[i]);
        }
        return most;
    }

    static boolean areFinite(double[] x, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += 0 * x[i];
        }
        return sum == 0;
    }

    /** The leaf at the end of the walk of the sample at {@code at}. */
    int leaf(double[] x, int at, int root) {
        int node = root;
        for (int before = -1; node != before; ) {
            before = node;
            node = step(x, at, node);
        }
        return node;
    }

    /** The leaves of four walks of at most so many steps, in place of the nodes where they start. */
    void leaves(int steps, double[] x, int at0, int at1, int at2, int at3, int[] nodes) {
        int n0 = nodes[0];
        int n1 = nodes[1];
        int n2 = nodes[2];
        int n3 = nodes[3];
        int moved = 1;
        for (int left = steps; left > 0 && moved != 0; left--) {
            int m0 = step(x, at0, n0);
            int m1 = step(x, at1, n1);
            int m2 = step(x, at2, n2);
            int m3 = step(x, at3, n3);
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

    private int step(double[] x, int at, int node) {
        long link = links[node];
        long isAbove = Double.doubleToRawLongBits(splits[node] - x[at + (int) link]) >>> (Long.SIZE - 1);
        return (int) ((link >>> Integer.SIZE) + isAbove);
    }
}
