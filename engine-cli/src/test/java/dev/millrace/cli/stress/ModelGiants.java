package dev.millrace.cli.stress;

import static dev.millrace.graph.tensor.ElementType.INT32;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static dev.millrace.graph.tensor.ElementType.STRING;
import static dev.millrace.graph.tensor.ElementType.UINT8;

import dev.millrace.cli.fire.Net;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Those that are models by themselves: trees, support vectors and labels, and searches in a decoder. */
final class ModelGiants {
    private static final int MANY = 1 << 25;

    private final Map<String, Function<Net, Value>> nodes = new LinkedHashMap<>();

    private ModelGiants() {}

    static Map<String, Function<Net, Value>> all() {
        var giants = new ModelGiants();
        giants.trees();
        giants.vectors();
        giants.features();
        giants.labels();
        giants.searches();
        return giants.nodes;
    }

    private void add(String name, Function<Net, Value> node) {
        nodes.put(name, node);
    }

    private static OpId ml(String name) {
        return new OpId(OpId.ONNX_ML, name);
    }

    private static Attribute floats(int count, float value) {
        return new Attribute.Floats(Collections.nCopies(count, value));
    }

    private static Attribute longs(int count, LongUnaryOperator value) {
        return Attribute.of(LongStream.range(0, count).map(value).toArray());
    }

    private static Attribute texts(int count, String text) {
        return new Attribute.Strings(Collections.nCopies(count, (Attribute.Bytes) Attribute.of(text)));
    }

    private void trees() {
        add("TreeEnsemble of few rows", net -> {
            int depth = 1 << 10;
            return net.op(ml("TreeEnsemble"), chain(depth, 1 << 20), net.floats("x", 4, 8));
        });
        add("TreeEnsemble of one deep tree", net -> {
            int depth = 1 << 20;
            return net.op(ml("TreeEnsemble"), chain(depth, 64), net.floats("x", 4, 8));
        });
        add("TreeEnsemble of members", net -> {
            int members = 1 << 20;
            var ensemble = new HashMap<String, Object>(chain(1, 1 << 10));
            Tensor isMember = Tensor.allocate(UINT8, Shape.of(1));
            isMember.segment().fill((byte) 6);
            ensemble.put("nodes_modes", Attribute.of(isMember));
            float[] values = new float[members + 1];
            Arrays.fill(values, 3);
            values[members] = Float.NaN;
            ensemble.put("membership_values", Attribute.of(Tensor.copyOf(values, values.length)));
            return net.op(ml("TreeEnsemble"), ensemble, net.floats("x", 4, 8));
        });
        add(
                "TreeEnsembleRegressor",
                net -> net.op(ml("TreeEnsembleRegressor"), stumps("target", 1 << 12), net.floats("x", 1 << 18, 8)));
        add("TreeEnsembleClassifier", net -> {
            var stumps = new HashMap<String, Object>(stumps("class", 1 << 12));
            stumps.put("classlabels_int64s", longs(3, i -> i));
            return net.ops(ml("TreeEnsembleClassifier"), 2, stumps, net.floats("x", 1 << 18, 8))
                    .get(1);
        });
    }

    /** A tree that is one chain of nodes, which so many trees begin with. */
    private static Map<String, ?> chain(int nodes, int roots) {
        float[] ones = new float[nodes];
        Arrays.fill(ones, 1);
        return Map.of(
                "tree_roots", longs(roots, i -> 0),
                "nodes_featureids", longs(nodes, i -> i % 8),
                "nodes_modes", Attribute.of(Tensor.allocate(UINT8, Shape.of(nodes))),
                "nodes_splits", Attribute.of(Tensor.copyOf(ones, nodes)),
                "nodes_truenodeids", longs(nodes, i -> i + 1 < nodes ? i + 1 : 0),
                "nodes_trueleafs", longs(nodes, i -> i + 1 < nodes ? 0 : 1),
                "nodes_falsenodeids", longs(nodes, i -> 0),
                "nodes_falseleafs", longs(nodes, i -> 1),
                "leaf_targetids", longs(1, i -> 0),
                "leaf_weights", Attribute.of(Tensor.copyOf(new float[] {0.5f}, 1)));
    }

    /** Trees of one comparison and two leaves. */
    private static Map<String, ?> stumps(String leaves, int trees) {
        int nodes = 3 * trees;
        var modes = new ArrayList<Attribute.Bytes>();
        for (int i = 0; i < nodes; i++) {
            modes.add((Attribute.Bytes) Attribute.of(i % 3 == 0 ? "BRANCH_LEQ" : "LEAF"));
        }
        var ensemble = new HashMap<String, Object>();
        ensemble.put("nodes_treeids", longs(nodes, i -> i / 3));
        ensemble.put("nodes_nodeids", longs(nodes, i -> i % 3));
        ensemble.put("nodes_featureids", longs(nodes, i -> i / 3 % 8));
        ensemble.put("nodes_truenodeids", longs(nodes, i -> i % 3 == 0 ? 1 : 0));
        ensemble.put("nodes_falsenodeids", longs(nodes, i -> i % 3 == 0 ? 2 : 0));
        ensemble.put("nodes_modes", new Attribute.Strings(modes));
        ensemble.put("nodes_values", floats(nodes, 0.5f));
        ensemble.put(leaves + "_treeids", longs(2 * trees, i -> i / 2));
        ensemble.put(leaves + "_nodeids", longs(2 * trees, i -> 1 + i % 2));
        ensemble.put(leaves + "_ids", longs(2 * trees, i -> leaves.equals("class") ? i % 3 : 0));
        ensemble.put(leaves + "_weights", floats(2 * trees, 0.1f));
        return ensemble;
    }

    private void vectors() {
        add(
                "SVMRegressor",
                net -> net.op(
                        ml("SVMRegressor"),
                        Map.of(
                                "kernel_type",
                                "POLY",
                                "kernel_params",
                                new Attribute.Floats(List.of(0.1f, 1f, 3.3f)),
                                "n_supports",
                                1 << 20,
                                "support_vectors",
                                floats(1 << 22, 0.3f),
                                "coefficients",
                                floats(1 << 20, 0.2f),
                                "rho",
                                floats(1, 0)),
                        net.floats("x", 256, 4)));
        add("SVMClassifier of many vectors", net -> supports(net, 2, 1 << 19, 4, false));
        add("SVMClassifier of many classes", net -> supports(net, 1500, 1, 1, true));
        add(
                "SVMClassifier without vectors",
                net -> net.ops(
                                ml("SVMClassifier"),
                                2,
                                Map.of(
                                        "classlabels_ints", longs(1 << 18, i -> i),
                                        "kernel_type", "SIGMOID",
                                        "kernel_params", new Attribute.Floats(List.of(0.1f, 1f, 3f)),
                                        "coefficients", floats(1 << 22, 0.1f),
                                        "rho", floats(1, 0)),
                                net.floats("x", 64, 16))
                        .get(1));
        add(
                "LinearRegressor",
                net -> net.op(
                        ml("LinearRegressor"),
                        Map.of("targets", 1 << 10, "coefficients", floats(1 << 22, 0.1f)),
                        net.floats("x", 256, 1 << 12)));
        add(
                "LinearClassifier",
                net -> net.ops(
                                ml("LinearClassifier"),
                                2,
                                Map.of(
                                        "classlabels_ints",
                                        longs(1 << 10, i -> i),
                                        "coefficients",
                                        floats(1 << 22, 0.1f)),
                                net.floats("x", 256, 1 << 12))
                        .get(1));
    }

    /** A classifier with so many vectors of each class. */
    private static Value supports(Net net, int classes, int each, int features, boolean isProbable) {
        int all = classes * each;
        int pairs = classes * (classes - 1) / 2;
        var machine = new HashMap<String, Object>();
        machine.put("classlabels_ints", longs(classes, i -> i));
        machine.put("vectors_per_class", longs(classes, i -> each));
        machine.put("kernel_type", "POLY");
        machine.put("kernel_params", new Attribute.Floats(List.of(0.1f, 1f, 3.3f)));
        machine.put("support_vectors", floats(all * features, 0.3f));
        machine.put("coefficients", floats(all * (classes - 1), 0.2f));
        machine.put("rho", floats(pairs, 0.1f));
        if (isProbable) {
            // pairs that do not agree, so that many rounds are needed
            var slopes =
                    Stream.iterate(1f, last -> last * -1.7f % 3).limit(pairs).toList();
            machine.put("prob_a", new Attribute.Floats(slopes));
            machine.put("prob_b", floats(pairs, 0.1f));
        }
        return net.ops(ml("SVMClassifier"), 2, machine, net.floats("x", 64, features))
                .get(1);
    }

    private void features() {
        add(
                "ArrayFeatureExtractor",
                net -> net.op(ml("ArrayFeatureExtractor"), Map.of(), net.floats("x", MANY, 2), net.longs(1, 0, 1)));
        add("Binarizer", net -> net.op(ml("Binarizer"), Map.of(), net.floats("x", 1, MANY)));
        add("Normalizer", net -> net.op(ml("Normalizer"), Map.of("norm", "L2"), net.floats("x", MANY / 4, 4)));
        add(
                "Imputer",
                net -> net.op(
                        ml("Imputer"), Map.of("imputed_value_floats", floats(4, 2)), net.floats("x", MANY / 4, 4)));
        add(
                "Imputer of whole numbers",
                net -> net.op(
                        ml("Imputer"),
                        Map.of("imputed_value_int64s", longs(4, i -> i)),
                        net.input("x", INT64, MANY / 4, 4)));
    }

    private void labels() {
        add(
                "LabelEncoder",
                net -> net.op(
                        ml("LabelEncoder"),
                        Map.of("keys_int64s", longs(1 << 16, i -> i), "values_int64s", longs(1 << 16, i -> -i)),
                        net.input("x", INT64, MANY / 2)));
        add(
                "LabelEncoder of text",
                net -> net.op(
                        ml("LabelEncoder"),
                        Map.of("keys_strings", texts(1, "s1"), "values_int64s", longs(1, i -> i)),
                        net.input("x", STRING, 1 << 23)));
        add(
                "ZipMap",
                net -> net.op(
                        ml("ZipMap"), Map.of("classlabels_int64s", longs(2, i -> i)), net.floats("x", 1 << 20, 2)));
    }

    private void searches() {
        add(
                "GreedySearch",
                net -> net.op(
                        contributed("GreedySearch"),
                        search(net, 1 << 16),
                        net.input("words", INT32, 1 << 10, 1),
                        ints(net, 4000),
                        ints(net, 4000),
                        reals(net, 1.3f)));
        add("Sampling", net -> {
            var sampling = new HashMap<String, Object>(search(net, 1 << 20));
            sampling.put("top_p", 0.9f);
            return net.op(
                    contributed("Sampling"),
                    sampling,
                    net.input("words", INT32, 4, 1),
                    ints(net, 4000),
                    ints(net, 4000),
                    reals(net, 1.3f));
        });
    }

    private static OpId contributed(String name) {
        return new OpId(OpId.MICROSOFT, name);
    }

    private static Value ints(Net net, int value) {
        return net.constant(Tensor.copyOf(new int[] {value}, 1));
    }

    private static Value reals(Net net, float value) {
        return net.constant(Tensor.copyOf(new float[] {value}, 1));
    }

    /** A decoder that says something else for each word, and remembers nothing. */
    private static Map<String, ?> search(Net net, int vocabulary) {
        Net decoder = net.body("decoder");
        Value words = decoder.input("input_ids", INT32, "batch", "steps");
        decoder.input("position_ids", INT32, "batch", "steps");
        decoder.input("attention_mask", INT32, "batch", "all");
        Value numbers = decoder.op("Cast", Map.of("to", 1), decoder.op("Mod", words, ints(decoder, 7)));
        Value column = decoder.op("Unsqueeze", numbers, decoder.longs(2));
        decoder.output(decoder.op("Mul", column, decoder.weights(vocabulary)));
        return Map.of("decoder", decoder, "eos_token_id", -1, "pad_token_id", 0);
    }
}
