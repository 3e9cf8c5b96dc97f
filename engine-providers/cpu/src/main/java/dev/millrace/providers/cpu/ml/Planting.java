package dev.millrace.providers.cpu.ml;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Writes the tables of a {@link Descent}. A node that asks for a value, or for one of a set, becomes nodes that ask for an
 * order: values cut the numbers into intervals, each of which goes the one way or the other. What several intervals lead to
 * is there once for each of them, but what lies behind it is not.
 */
final class Planting {
    /** Longer walks look at cancellation on the way. */
    private static final int MOST_STEPS = 1000;

    private static final long MOST_PLACES = 1 << 26;

    private final Forest forest;
    private final byte[] missing;
    private final long[] links;
    private final double[] splits;
    private final int[] places;
    /** The steps that lead to a node of the forest, at most. */
    private final int[] levels;
    /** Where the two nodes behind a node of the forest are, once they are known. */
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

    /** Null where trees are too deep or too large, have no finite splits, are none, or have a way that no number goes. */
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

    /** False for a node that another one leads to already, as in no tree, and for one too far down. */
    private boolean meet(int node, int level) {
        if (levels[node] >= 0 || level > MOST_STEPS) {
            return false;
        }
        levels[node] = level;
        longest = Math.max(longest, level);
        return true;
    }

    /** Writes the node of the forest at a place, and gives places to those behind it. */
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
     * Makes the two nodes behind one that asks for a bound: the intervals from the first to the one that ends there, and
     * those behind it up to the last.
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

    /** The highest number of each interval but the last. A difference of zero has no sign where bounds have none. */
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

    /** Numbers below each value and each value itself, in order. */
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

    /** The first interval that goes where a sample without the feature goes, if there is one. */
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
