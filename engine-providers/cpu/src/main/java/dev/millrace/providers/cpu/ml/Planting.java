package dev.millrace.providers.cpu.ml;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The builder of a {@link Descent}'s tables. A node that compares with a value or a set becomes nodes that compare by
 * order: the values cut the numbers into intervals, each of which goes one way or the other. A child that several
 * intervals lead to has one entry for each of them, but its own children exist only once.
 */
final class Planting {
    /** The longest walk in steps; longer ones would have to check for cancellation. */
    private static final int MOST_STEPS = 1000;

    private static final long MOST_PLACES = 1 << 26;

    private final Forest forest;
    private final byte[] missing;
    private final long[] links;
    private final double[] splits;
    private final int[] places;
    /** The largest number of steps from the root to each node of the forest; -1 for nodes that were not met. */
    private final int[] levels;
    /** The index of the two children of each node of the forest, once they are known. */
    private final int[] pairs;

    private final Deque<Integer> open = new ArrayDeque<>();
    private int made;
    private int longest;

    Planting(Forest forest) {
        this.forest = forest;
        int count = forest.modes().length;
        long most = forest.roots().length;
        for (int node = 0; node < count; node++) {
            most += forest.modes()[node] == Forest.Mode.LEAF ? 0 : 2L * bounds(node).length;
        }
        int room = most > MOST_PLACES ? 0 : (int) most;
        missing = new byte[room];
        links = new long[room];
        splits = new double[room];
        places = new int[room];
        levels = new int[count];
        pairs = new int[count];
        Arrays.fill(levels, -1);
    }

    /**
     * Builds the tables. Returns null where trees are too deep or too large, have splits that are not finite, are not
     * trees, or have a branch that no number takes.
     */
    @Nullable
    Descent plant() {
        if (links.length == 0) {
            return null;
        }
        var roots = new int[forest.roots().length];
        var depths = new int[roots.length];
        for (int tree = 0; tree < roots.length; tree++) {
            roots[tree] = made;
            longest = 0;
            if (!meet(forest.roots()[tree], 0)) {
                return null;
            }
            put(made++, forest.roots()[tree]);
            while (!open.isEmpty()) {
                if (!grow(open.remove())) {
                    return null;
                }
            }
            depths[tree] = longest;
        }
        int most = Arrays.stream(links).mapToInt(link -> (int) link).max().orElse(0);
        return new Descent(roots, depths, missing, links, splits, places, most);
    }

    private void put(int place, int node) {
        places[place] = node;
        open.add(place);
    }

    /**
     * Records the depth of a node. Returns false for a node with another parent already, as in no tree, and for one too
     * deep.
     */
    private boolean meet(int node, int level) {
        if (levels[node] >= 0 || level > MOST_STEPS) {
            return false;
        }
        levels[node] = level;
        longest = Math.max(longest, level);
        return true;
    }

    /** Writes the entry of a node of the forest, and assigns entries to its children. */
    private boolean grow(int place) {
        int node = places[place];
        if (forest.modes()[node] == Forest.Mode.LEAF) {
            link(place, place, 0, Double.POSITIVE_INFINITY);
            return true;
        }
        double[] bounds = bounds(node);
        int interval = intervalOfMissing(node);
        if (isTrue(node, interval) != isTrueForMissing(node)) {
            return false;
        }
        for (double bound : bounds) {
            if (!Double.isFinite(bound)) {
                return false;
            }
        }
        int middle = bounds.length / 2;
        if (pairs[node] == 0) {
            int steps = Integer.SIZE - Integer.numberOfLeadingZeros(bounds.length);
            int level = levels[node] + steps;
            if (!meet(forest.whenTrue()[node], level) || !meet(forest.whenFalse()[node], level)) {
                return false;
            }
            pairs[node] = cut(node, bounds, 0, middle, bounds.length);
        }
        link(place, pairs[node], forest.features()[node], bounds[middle]);
        missing[place] = (byte) (interval > middle ? 1 : 0);
        return true;
    }

    /**
     * Creates the two children of a node that compares with a bound: the intervals from the first to the one that ends
     * there, and those behind it up to the last.
     */
    private int cut(int node, double[] bounds, int first, int middle, int last) {
        int pair = made;
        made += 2;
        side(pair, node, bounds, first, middle);
        side(pair + 1, node, bounds, middle + 1, last);
        return pair;
    }

    private void side(int place, int node, double[] bounds, int first, int last) {
        if (first == last) {
            put(place, (isTrue(node, first) ? forest.whenTrue() : forest.whenFalse())[node]);
            return;
        }
        int middle = (first + last) / 2;
        link(place, cut(node, bounds, first, middle, last), forest.features()[node], bounds[middle]);
        missing[place] = (byte) (intervalOfMissing(node) > middle ? 1 : 0);
    }

    private void link(int place, int low, int feature, double split) {
        links[place] = (long) low << Integer.SIZE | feature;
        splits[place] = split;
    }

    /**
     * Returns the highest number of each interval but the last. Adding 0.0 makes zeros positive, so that a difference
     * of zero has no sign.
     */
    private double[] bounds(int node) {
        double split = forest.splits()[node];
        return switch (forest.modes()[node]) {
            case BRANCH_LEQ, BRANCH_GT -> new double[] {split + 0.0};
            case BRANCH_LT, BRANCH_GTE -> new double[] {Math.nextDown(split) + 0.0};
            case BRANCH_EQ, BRANCH_NEQ -> around(split);
            case BRANCH_MEMBER -> around(forest.members()[node]);
            case LEAF -> throw new IllegalStateException("a leaf compares nothing");
        };
    }

    /** Returns bounds around values: the number just below each value and the value itself, in order. */
    private static double[] around(double... values) {
        double[] bounds = new double[Math.max(1, 2 * values.length)];
        for (int i = 0; i < values.length; i++) {
            bounds[2 * i] = Math.nextDown(values[i]) + 0.0;
            bounds[2 * i + 1] = values[i] + 0.0;
        }
        return bounds;
    }

    private boolean isTrueForMissing(int node) {
        return forest.missingIsTrue()[node] || forest.modes()[node] == Forest.Mode.BRANCH_NEQ;
    }

    /** Returns the first interval that goes the same way as a sample without the feature, if there is one. */
    private int intervalOfMissing(int node) {
        return isTrue(node, 0) == isTrueForMissing(node) ? 0 : 1;
    }

    /** Whether the comparison of a node holds in an interval. */
    private boolean isTrue(int node, int interval) {
        boolean isOdd = interval % 2 == 1;
        return switch (forest.modes()[node]) {
            case BRANCH_LEQ, BRANCH_LT, BRANCH_NEQ -> !isOdd;
            case BRANCH_GT, BRANCH_GTE, BRANCH_EQ -> isOdd;
            case BRANCH_MEMBER -> isOdd && forest.members()[node].length > 0;
            case LEAF -> throw new IllegalStateException("a leaf compares nothing");
        };
    }
}
