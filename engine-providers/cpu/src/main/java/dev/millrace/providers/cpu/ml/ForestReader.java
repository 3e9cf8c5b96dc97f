package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The reader of the tree operators' attributes. All attributes with one prefix are parallel lists. */
final class ForestReader {
    private final Node node;
    private final Attributes attributes;

    private ForestReader(Node node) {
        this.node = node;
        this.attributes = node.attributes();
    }

    /**
     * Reads trees whose nodes are named by tree and number. Leaves are nodes whose weights have the prefix
     * {@code leaves}.
     */
    static Forest named(Node node, String leaves) {
        return new ForestReader(node).namedTrees(leaves);
    }

    /** Reads trees whose nodes are named by their index, with separate lists of leaves. */
    static Forest numbered(Node node) {
        return new ForestReader(node).numberedTrees();
    }

    private int index(String what, long number) {
        if (number < 0 || number > Integer.MAX_VALUE) {
            throw broken(what + " " + number);
        }
        return (int) number;
    }

    private EngineException broken(String what) {
        return EngineException.invalidGraph(node.describe() + ": " + what);
    }

    private long[] integers(String name, int length) {
        long[] values = attributes.integers(name);
        if (values == null || (length >= 0 && values.length != length)) {
            throw broken("attribute '" + name + "' is missing or of another length than those beside it");
        }
        return values;
    }

    /** Returns a list of reals, which is given as such or as a tensor; null where it is missing. */
    static double @Nullable [] reals(Node node, String name) {
        Attributes attributes = node.attributes();
        for (String tensorName : List.of(name + "_as_tensor", name)) {
            if (attributes.find(tensorName) instanceof Attribute.TensorValue tensor) {
                return values(tensor.value());
            }
        }
        float[] listed = attributes.reals(name);
        if (listed == null) {
            return null;
        }
        double[] values = new double[listed.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = listed[i];
        }
        return values;
    }

    private static double[] values(Tensor tensor) {
        double[] values = new double[Math.toIntExact(tensor.elements())];
        Elements.read(tensor.type(), tensor.segment(), 0, values, 0, values.length);
        return values;
    }

    private double[] reals(String name, int length) {
        double[] values = reals(node, name);
        if (values == null || values.length != length) {
            throw broken("attribute '" + name + "' is missing or of another length than those beside it");
        }
        return values;
    }

    private boolean[] missing(int count) {
        long[] flags = attributes.integers("nodes_missing_value_tracks_true");
        boolean[] missing = new boolean[count];
        for (int i = 0; flags != null && i < Math.min(count, flags.length); i++) {
            missing[i] = flags[i] != 0;
        }
        return missing;
    }

    private record Name(long tree, long number) {}

    private Forest namedTrees(String leaves) {
        long[] trees = integers("nodes_treeids", -1);
        int count = trees.length;
        long[] numbers = integers("nodes_nodeids", count);
        long[] features = integers("nodes_featureids", count);
        long[] yes = integers("nodes_truenodeids", count);
        long[] no = integers("nodes_falsenodeids", count);
        List<String> modeNames = attributes.texts("nodes_modes");
        if (modeNames == null || modeNames.size() != count) {
            throw broken("attribute 'nodes_modes' is missing or of another length than those beside it");
        }
        Map<Name, Integer> places = new HashMap<>();
        Map<Long, Integer> roots = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            places.put(new Name(trees[i], numbers[i]), i);
            roots.putIfAbsent(trees[i], i);
        }
        var forest = new Parts(count);
        for (int i = 0; i < count; i++) {
            forest.modes[i] = mode(modeNames.get(i));
            forest.features[i] = index("feature", features[i]);
            if (forest.modes[i] != Forest.Mode.LEAF) {
                forest.whenTrue[i] = place(places, trees[i], yes[i]);
                forest.whenFalse[i] = place(places, trees[i], no[i]);
            }
        }
        forest.splits = reals("nodes_values", count);
        long[] leafTrees = integers(leaves + "_treeids", -1);
        long[] leafNumbers = integers(leaves + "_nodeids", leafTrees.length);
        int[] leafPlaces = new int[leafTrees.length];
        for (int i = 0; i < leafPlaces.length; i++) {
            leafPlaces[i] = place(places, leafTrees[i], leafNumbers[i]);
        }
        return forest.build(
                missing(count),
                leafPlaces,
                integers(leaves + "_ids", leafPlaces.length),
                reals(leaves + "_weights", leafPlaces.length),
                roots.values().stream().mapToInt(Integer::intValue).toArray());
    }

    private Forest.Mode mode(String name) {
        try {
            return Forest.Mode.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw broken("a tree node of mode '" + name + "'");
        }
    }

    private int place(Map<Name, Integer> places, long tree, long number) {
        Integer place = places.get(new Name(tree, number));
        if (place == null) {
            throw broken("tree " + tree + " has no node " + number);
        }
        return place;
    }

    private Forest numberedTrees() {
        long[] features = integers("nodes_featureids", -1);
        int branches = features.length;
        long[] leafTargets = integers("leaf_targetids", -1);
        int leaves = leafTargets.length;
        long[] yes = integers("nodes_truenodeids", branches);
        long[] yesIsLeaf = integers("nodes_trueleafs", branches);
        long[] no = integers("nodes_falsenodeids", branches);
        long[] noIsLeaf = integers("nodes_falseleafs", branches);
        double[] modes = reals("nodes_modes", branches);
        double[] splits = reals("nodes_splits", branches);
        double[] members = reals(node, "membership_values");
        // the leaves follow the branches
        var forest = new Parts(branches + leaves);
        Arrays.fill(forest.modes, Forest.Mode.LEAF);
        int member = 0;
        for (int i = 0; i < branches; i++) {
            int code = (int) modes[i];
            if (code < 0 || code >= Forest.Mode.LEAF.ordinal()) {
                throw broken("a tree node of mode " + code);
            }
            forest.modes[i] = Forest.Mode.values()[code];
            forest.features[i] = index("feature", features[i]);
            forest.splits[i] = splits[i];
            forest.whenTrue[i] = child(yes[i], yesIsLeaf[i] != 0, branches, leaves);
            forest.whenFalse[i] = child(no[i], noIsLeaf[i] != 0, branches, leaves);
            if (forest.modes[i] == Forest.Mode.BRANCH_MEMBER) {
                int start = member;
                while (members != null && member < members.length && !Double.isNaN(members[member])) {
                    member++;
                }
                forest.members[i] = members == null ? new double[0] : sorted(members, start, member++);
            }
        }
        int[] leafPlaces = new int[leaves];
        Arrays.setAll(leafPlaces, i -> branches + i);
        long[] roots = integers("tree_roots", -1);
        int[] starts = new int[roots.length];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = child(roots[i], false, branches, leaves);
        }
        return forest.build(missing(branches + leaves), leafPlaces, leafTargets, reals("leaf_weights", leaves), starts);
    }

    /** Returns sorted members, with zeros of both signs as one. */
    private static double[] sorted(double[] members, int from, int to) {
        return Arrays.stream(members, from, to)
                .map(member -> member + 0.0)
                .sorted()
                .toArray();
    }

    private int child(long number, boolean isLeaf, int branches, int leaves) {
        if (number < 0 || number >= (isLeaf ? leaves : branches)) {
            throw broken("a tree names " + (isLeaf ? "leaf " : "node ") + number + ", which is not there");
        }
        return (int) number + (isLeaf ? branches : 0);
    }

    /** The tables of a forest while it is built. */
    private final class Parts {
        final int[] features;
        final Forest.Mode[] modes;
        final int[] whenTrue;
        final int[] whenFalse;
        final double[][] members;
        double[] splits;

        Parts(int count) {
            this.features = new int[count];
            this.modes = new Forest.Mode[count];
            this.whenTrue = new int[count];
            this.whenFalse = new int[count];
            this.members = new double[count][0];
            this.splits = new double[count];
        }

        Forest build(boolean[] missing, int[] leafPlaces, long[] leafTargets, double[] leafWeights, int[] roots) {
            int[] starts = new int[modes.length + 1];
            for (int place : leafPlaces) {
                starts[place + 1]++;
            }
            for (int i = 0; i < modes.length; i++) {
                starts[i + 1] += starts[i];
            }
            int[] next = starts.clone();
            int[] targets = new int[leafPlaces.length];
            double[] weights = new double[leafPlaces.length];
            for (int leaf = 0; leaf < leafPlaces.length; leaf++) {
                if (leafTargets[leaf] < 0) {
                    throw broken("a leaf gives to target " + leafTargets[leaf]);
                }
                int at = next[leafPlaces[leaf]]++;
                targets[at] = index("target", leafTargets[leaf]);
                weights[at] = leafWeights[leaf];
            }
            for (int feature : features) {
                if (feature < 0) {
                    throw broken("a tree node asks for feature " + feature);
                }
            }
            return new Forest(
                    features, modes, splits, whenTrue, whenFalse, missing, members, starts, targets, weights, roots);
        }
    }
}
