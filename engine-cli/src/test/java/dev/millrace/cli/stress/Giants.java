package dev.millrace.cli.stress;

import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.INT32;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static dev.millrace.graph.tensor.ElementType.INT8;
import static dev.millrace.graph.tensor.ElementType.STRING;
import static dev.millrace.graph.tensor.ElementType.UINT8;

import dev.millrace.cli.fire.Net;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/** One node of each family, so large that it takes a second or longer, as the bytes of a model. */
final class Giants {
    /** Elements of a tensor of 128 MB. */
    private static final int MANY = 1 << 25;

    private static final int SIDE = 1 << 12;

    private final Map<String, Function<Net, Value>> nodes = new LinkedHashMap<>();

    private Giants() {}

    static Set<String> names() {
        return all().keySet();
    }

    static byte[] model(String name) {
        Net net = Net.named(name);
        return net.output(Objects.requireNonNull(all().get(name)).apply(net)).bytes();
    }

    private static Map<String, Function<Net, Value>> all() {
        var giants = new Giants();
        giants.nodes.putAll(LayerGiants.all());
        giants.nodes.putAll(ModelGiants.all());
        giants.reductions();
        giants.elements();
        giants.moves();
        giants.picks();
        giants.images();
        giants.bytes();
        giants.signals();
        giants.texts();
        return giants.nodes;
    }

    private void add(String name, Function<Net, Value> node) {
        nodes.put(name, node);
    }

    private void reductions() {
        for (String reduction : new String[] {"ReduceSum", "ReduceMax", "ReduceL2", "ReduceLogSumExp", "ReduceProd"}) {
            add(reduction, net -> net.op(reduction, Map.of("keepdims", 0), net.floats("x", 2, MANY)));
        }
        add("ReduceMean of columns", net -> net.op("ReduceMean", net.floats("x", MANY / 64, 64), net.longs(0)));
        add("ReduceSum of whole numbers", net -> net.op("ReduceSum", net.input("x", INT64, MANY)));
        add("ArgMax", net -> net.op("ArgMax", net.floats("x", MANY)));
        add("ArgMax of columns", net -> net.op("ArgMax", net.floats("x", MANY / 64, 64)));
    }

    private void elements() {
        add("a chain", net -> {
            Value x = net.floats("x", MANY);
            for (String op : new String[] {"Sin", "Exp", "Tanh", "Softplus", "Erf", "Sigmoid", "Sqrt", "Atan"}) {
                x = net.op(op, x);
            }
            return x;
        });
        add("Pow", net -> net.op("Pow", net.floats("x", MANY), net.floats("y", MANY)));
        add("Add of doubles", net -> net.op("Add", doubles(net, "x", MANY), doubles(net, "y", MANY)));
        add("Mod of whole numbers", net -> net.op("Mod", net.input("x", INT64, MANY), net.longs(7)));
        add("Add of a row and a column", net -> net.op("Add", net.floats("x", SIDE, 1), net.floats("y", 1, 4 * SIDE)));
        add(
                "Where",
                net -> net.op(
                        "Where",
                        net.op("Greater", net.floats("x", MANY), net.weights(1)),
                        net.floats("y", MANY),
                        net.floats("z", MANY)));
        add("Sum", net -> net.op("Sum", net.floats("x", MANY), net.floats("y", MANY), net.floats("z", MANY)));
        add("PRelu", net -> net.op("PRelu", net.floats("x", MANY), net.floats("slope", MANY)));
        add("Cast to half", net -> net.op("Cast", Map.of("to", ElementType.FLOAT16.code()), net.floats("x", 2 * MANY)));
        add("Cast to whole", net -> net.op("Cast", Map.of("to", INT64.code()), net.floats("x", MANY)));
        add("Cast to text", net -> net.op("Cast", Map.of("to", STRING.code()), net.floats("x", MANY / 8)));
    }

    private static Value doubles(Net net, String name, int count) {
        return net.input(name, ElementType.DOUBLE, count);
    }

    private void moves() {
        add("Transpose", net -> net.op("Transpose", net.floats("x", 2 * SIDE, 2 * SIDE)));
        add(
                "Transpose of five axes",
                net -> net.op(
                        "Transpose", Map.of("perm", new int[] {4, 2, 0, 3, 1}), net.floats("x", 32, 32, 32, 32, 32)));
        add("Concat", net -> net.op("Concat", Map.of("axis", 1), net.floats("x", MANY, 1), net.floats("y", MANY, 1)));
        add(
                "Pad",
                net -> net.op(
                        "Pad", Map.of("mode", "reflect"), net.floats("x", SIDE, 2 * SIDE), net.longs(9, 9, 9, 9)));
        add("Pad by a constant", net -> net.op("Pad", net.floats("x", SIDE, 2 * SIDE), net.longs(9, 9, 9, 9)));
        add("Tile", net -> net.op("Tile", net.floats("x", 1, SIDE), net.longs(2 * SIDE, 2)));
        add("Expand", net -> net.op("Expand", net.floats("x", 1, SIDE, 1), net.longs(2, SIDE, 2 * SIDE)));
        add(
                "Slice",
                net -> net.op(
                        "Slice",
                        net.floats("x", 2 * SIDE, 2 * SIDE),
                        net.longs(-1, -1),
                        net.longs(-10_000, -10_000),
                        net.longs(0, 1),
                        net.longs(-1, -1)));
        add("DepthToSpace", net -> net.op("DepthToSpace", Map.of("blocksize", 4), net.floats("x", 1, 16, 1024, 2048)));
        add("Trilu", net -> net.op("Trilu", net.floats("x", 2 * SIDE, 2 * SIDE)));
        add(
                "ReverseSequence",
                net -> net.op(
                        "ReverseSequence",
                        Map.of("time_axis", 1, "batch_axis", 0),
                        net.floats("x", 1, 1 << 24, 2),
                        net.longs(1 << 24)));
        add(
                "Range",
                net -> net.op(
                        "Range",
                        net.input("from", INT64),
                        net.constant(Tensor.scalar(2L * MANY)),
                        net.constant(Tensor.scalar(1L))));
        add(
                "OneHot",
                net -> net.op(
                        "OneHot", net.input("x", INT64, 1 << 20), net.constant(Tensor.scalar(64L)), net.weights(2)));
        add(
                "Split",
                net -> net.ops("Split", 2, Map.of("axis", 1), net.floats("x", MANY / 4, 8), net.longs(3, 5))
                        .getFirst());
    }

    private void picks() {
        add(
                "TopK",
                net -> net.ops("TopK", 2, Map.of("axis", 0), net.floats("x", MANY / 2), net.longs(MANY / 4))
                        .getFirst());
        add(
                "TopK of few",
                net -> net.ops("TopK", 2, Map.of("axis", 1), net.floats("x", 1, 2 * MANY), net.longs(5))
                        .getFirst());
        add(
                "TopK of columns",
                net -> net.ops("TopK", 2, Map.of("axis", 0), net.floats("x", 1 << 20, 32), net.longs(9))
                        .getFirst());
        add("Unique", net -> net.op("Unique", net.floats("x", MANY / 4)));
        add("NonZero", net -> net.op("NonZero", net.floats("x", MANY / 2)));
        add(
                "Compress",
                net -> net.op(
                        "Compress", net.floats("x", MANY), net.op("Greater", net.floats("y", MANY), net.weights(1))));
        add("Gather", net -> net.op("Gather", net.floats("x", 1 << 22, 4), net.input("i", INT64, 1 << 24)));
        add("Gather of numbers", net -> net.op("Gather", net.floats("x", 1 << 22), net.input("i", INT64, MANY)));
        add("GatherElements", net -> net.op("GatherElements", net.floats("x", MANY), net.input("i", INT64, MANY)));
        add("GatherND", net -> net.op("GatherND", net.floats("x", 1 << 22), net.input("i", INT64, MANY, 1)));
        add(
                "ScatterElements",
                net -> net.op(
                        "ScatterElements",
                        Map.of("reduction", "add"),
                        net.floats("x", MANY),
                        net.input("i", INT64, MANY),
                        net.floats("u", MANY)));
        add(
                "ScatterND",
                net -> net.op(
                        "ScatterND", net.floats("x", MANY), net.input("i", INT64, MANY, 1), net.floats("u", MANY)));
        add(
                "NonMaxSuppression",
                net -> net.op(
                        "NonMaxSuppression",
                        net.floats("boxes", 1, 1 << 17, 4),
                        net.floats("scores", 1, 1, 1 << 17),
                        net.constant(Tensor.scalar(1L << 17)),
                        net.constant(Tensor.scalar(0.99f))));
        add("Multinomial", net -> net.op("Multinomial", Map.of("sample_size", 1 << 20), net.floats("x", 8, 1000)));
        add("RandomNormalLike", net -> net.op("RandomNormalLike", net.floats("x", MANY)));
        add("Bernoulli", net -> net.op("Bernoulli", net.floats("x", MANY)));
    }

    private void images() {
        for (String mode : new String[] {"nearest", "linear", "cubic"}) {
            add(
                    "Resize, " + mode,
                    net -> net.op(
                            "Resize",
                            Map.of("mode", mode),
                            net.floats("x", 1, 1, SIDE, SIDE),
                            null,
                            net.constant(Tensor.copyOf(new float[] {1, 1, 1.9f, 2.1f}, 4))));
        }
        add(
                "Resize of one row",
                net -> net.op(
                        "Resize",
                        Map.of("mode", "linear"),
                        net.floats("x", 1, 1, 1, MANY / 2),
                        null,
                        net.constant(Tensor.copyOf(new float[] {1, 1, 1, 2.1f}, 4))));
        add(
                "Resize, antialias",
                net -> net.op(
                        "Resize",
                        Map.of("mode", "linear", "antialias", 1),
                        net.floats("x", 1, 1, 2 * SIDE, 2 * SIDE),
                        null,
                        net.constant(Tensor.copyOf(new float[] {1, 1, 0.05f, 0.05f}, 4))));
        add(
                "RoiAlign",
                net -> net.op(
                        "RoiAlign",
                        Map.of("output_height", 64, "output_width", 64, "sampling_ratio", 8),
                        net.floats("x", 1, 16, 64, 64),
                        net.floats("rois", 512, 4),
                        net.constant(Tensor.allocate(INT64, Shape.of(512)))));
        for (String mode : new String[] {"linear", "cubic"}) {
            add(
                    "GridSample, " + mode,
                    net -> net.op(
                            "GridSample",
                            Map.of("mode", mode),
                            net.floats("x", 1, 8, 256, 256),
                            net.floats("grid", 1, 2048, 1024, 2)));
        }
        add("AffineGrid", net -> net.op("AffineGrid", net.floats("theta", 1, 2, 3), net.longs(1, 1, SIDE, 2 * SIDE)));
        add(
                "Col2Im",
                net -> net.op("Col2Im", net.floats("x", 1, 25, 1020 * 1020), net.longs(1024, 1024), net.longs(5, 5)));
    }

    private void bytes() {
        add(
                "MatMulInteger",
                net -> net.op("MatMulInteger", net.input("a", UINT8, SIDE, SIDE), net.input("b", INT8, SIDE, SIDE)));
        add(
                "ConvInteger",
                net -> net.op(
                        "ConvInteger", net.input("x", UINT8, 1, 128, 256, 256), net.input("w", UINT8, 128, 128, 3, 3)));
        add(
                "QuantizeLinear",
                net -> net.op("QuantizeLinear", net.floats("x", 2 * MANY), net.constant(Tensor.scalar(0.1f))));
        add(
                "DequantizeLinear",
                net -> net.op("DequantizeLinear", net.input("x", UINT8, 4 * MANY), net.constant(Tensor.scalar(0.1f))));
        add(
                "DynamicQuantizeLinear",
                net -> net.ops("DynamicQuantizeLinear", 3, Map.of(), net.floats("x", 2 * MANY))
                        .getFirst());
        add("Not", net -> net.op("BitwiseNot", net.input("x", UINT8, 8 * MANY)));
    }

    private void signals() {
        add("DFT", net -> net.op("DFT", net.floats("x", 1, 1 << 22, 1)));
        add("DFT of a prime", net -> net.op("DFT", net.floats("x", 1, 1_000_003, 1)));
        add(
                "STFT",
                net -> net.op("STFT", net.floats("x", 1, 1 << 22), net.constant(Tensor.scalar(16L)), net.weights(257)));
        add(
                "HannWindow",
                net -> net.op(
                        "HannWindow", net.op("Mul", net.input("n", INT64), net.constant(Tensor.scalar(1L << 26)))));
    }

    private void texts() {
        add(
                "StringConcat",
                net -> net.op("StringConcat", net.input("x", STRING, 1 << 22), net.input("y", STRING, 1 << 22)));
        add(
                "StringNormalizer",
                net -> net.op(
                        "StringNormalizer", Map.of("case_change_action", "UPPER"), net.input("x", STRING, 1 << 22)));
        add(
                "StringSplit",
                net -> net.ops("StringSplit", 2, Map.of("delimiter", "1"), net.input("x", STRING, 1 << 21))
                        .getFirst());
        add(
                "RegexFullMatch",
                net -> net.op("RegexFullMatch", Map.of("pattern", "(s[0-9]+)+x"), net.input("x", STRING, 1 << 22)));
        add("Equal of text", net -> net.op("Equal", net.input("x", STRING, 1 << 22), net.input("y", STRING, 1 << 22)));
        add("Cast of text", net -> {
            Value numbers = net.op("Cast", Map.of("to", STRING.code()), net.floats("x", 1 << 19));
            return net.op("Cast", Map.of("to", FLOAT.code()), numbers);
        });
        add(
                "TfIdfVectorizer",
                net -> net.op(
                        "TfIdfVectorizer",
                        Map.of(
                                "mode",
                                "TF",
                                "min_gram_length",
                                2,
                                "max_gram_length",
                                2,
                                "max_skip_count",
                                60,
                                "ngram_counts",
                                new int[] {0, 4},
                                "ngram_indexes",
                                new int[] {0, 1, 2, 3, 4, 5, 6},
                                "pool_int64s",
                                new int[] {2, 3, 5, 4, 5, 6, 7, 8, 6, 7}),
                        net.input("x", INT32, 1, 1 << 21)));
    }
}
