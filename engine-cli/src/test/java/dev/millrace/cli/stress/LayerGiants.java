package dev.millrace.cli.stress;

import static dev.millrace.graph.tensor.ElementType.INT64;

import dev.millrace.cli.fire.Net;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Enormous layers: products, windows, normalised rows, and recurrent steps. */
final class LayerGiants {
    /** The elements of a tensor of 128 MB. */
    private static final int MANY = 1 << 25;

    private static final int SIDE = 1 << 12;

    private final Map<String, Function<Net, Value>> nodes = new LinkedHashMap<>();

    private LayerGiants() {}

    static Map<String, Function<Net, Value>> all() {
        var giants = new LayerGiants();
        giants.products();
        giants.windows();
        giants.rows();
        giants.steps();
        return giants.nodes;
    }

    private void add(String name, Function<Net, Value> node) {
        nodes.put(name, node);
    }

    private void products() {
        add("MatMul", net -> net.op("MatMul", net.floats("a", SIDE, SIDE), net.floats("b", SIDE, SIDE)));
        add("MatMul with weights", net -> net.op("MatMul", net.floats("a", 1 << 16, 1024), net.weights(1024, 1024)));
        add("MatMul, long sums", net -> net.op("MatMul", net.floats("a", 8, 1 << 22), net.floats("b", 1 << 22, 8)));
        add("MatMul by one row", net -> net.op("MatMul", net.floats("a", 1, SIDE), net.floats("b", SIDE, 1 << 14)));
        add(
                "MatMul of many",
                net -> net.op("MatMul", net.floats("a", 1 << 16, 16, 16), net.floats("b", 1 << 16, 16, 16)));
        add(
                "Gemm",
                net -> net.op(
                        "Gemm",
                        Map.of("transA", 1, "transB", 1),
                        net.floats("a", SIDE, SIDE),
                        net.floats("b", SIDE, SIDE)));
        add(
                "Einsum",
                net -> net.op(
                        "Einsum",
                        Map.of("equation", "bij,bjk,bkl->bil"),
                        net.floats("a", 4, 1024, 1024),
                        net.floats("b", 4, 1024, 1024),
                        net.floats("c", 4, 1024, 1024)));
        add(
                "Einsum of sums",
                net -> net.op(
                        "Einsum",
                        Map.of("equation", "ij,ij->i"),
                        net.floats("a", 4, 1 << 23),
                        net.floats("b", 4, 1 << 23)));
        add("Attention", LayerGiants::attention);
        add("Det", net -> net.op("Det", net.floats("a", 1500, 1500)));
    }

    private static Value attention(Net net) {
        Value query = net.floats("q", 1, 16, 1 << 13, 64);
        Value key = net.op("Transpose", Map.of("perm", new int[] {0, 1, 3, 2}), net.floats("k", 1, 16, 1 << 13, 64));
        Value scores = net.op("Div", net.op("MatMul", query, key), net.constant(Tensor.scalar(8f)));
        return net.op("MatMul", net.op("Softmax", Map.of("axis", -1), scores), net.floats("v", 1, 16, 1 << 13, 64));
    }

    private void windows() {
        Map<String, ?> same = Map.of("pads", new int[] {1, 1, 1, 1});
        add("Conv", net -> net.op("Conv", same, net.floats("x", 1, 256, 256, 256), net.weights(256, 256, 3, 3)));
        add("Conv of one pixel", net -> net.op("Conv", net.floats("x", 1, 512, 256, 256), net.weights(512, 512, 1, 1)));
        add(
                "Conv of few channels",
                net -> net.op("Conv", same, net.floats("x", 1, 3, 2048, 2048), net.weights(16, 3, 3, 3)));
        add(
                "Conv of a large window",
                net -> net.op("Conv", net.floats("x", 1, 16, 512, 512), net.weights(16, 16, 33, 33)));
        add("Conv along one axis", net -> net.op("Conv", net.floats("x", 1, 16, 1 << 20), net.weights(64, 16, 25)));
        add(
                "Conv by channel",
                net -> net.op(
                        "Conv", Map.of("group", 32), net.floats("x", 1, 32, 1024, 1024), net.weights(32, 1, 7, 7)));
        add(
                "Conv in groups",
                net -> net.op("Conv", Map.of("group", 4), net.floats("x", 1, 64, 512, 512), net.weights(64, 16, 5, 5)));
        add(
                "Conv in three dimensions",
                net -> net.op("Conv", net.floats("x", 1, 16, 64, 128, 128), net.weights(16, 16, 3, 3, 3)));
        add(
                "ConvTranspose",
                net -> net.op(
                        "ConvTranspose",
                        Map.of("strides", new int[] {2, 2}),
                        net.floats("x", 1, 256, 128, 128),
                        net.weights(256, 64, 4, 4)));
        add(
                "MaxPool",
                net -> net.op(
                        "MaxPool", Map.of("kernel_shape", new int[] {32, 32}), net.floats("x", 1, 1, SIDE, SIDE)));
        add(
                "AveragePool",
                net -> net.op(
                        "AveragePool", Map.of("kernel_shape", new int[] {32, 32}), net.floats("x", 1, 16, 1024, 1024)));
        add(
                "MaxPool of small windows",
                net -> net.op("MaxPool", Map.of("kernel_shape", new int[] {3, 3}), net.floats("x", 1, 2, SIDE, SIDE)));
        add("MaxPool of many channels", net -> {
            long channels = 1 << 23;
            Value images = net.op(
                    "Expand",
                    net.floats("x", 1, 1, 4, 4),
                    net.constant(Tensor.copyOf(new long[] {1, channels, 4, 4}, 4)));
            return net.op("MaxPool", Map.of("kernel_shape", new int[] {2, 2}), images);
        });
        add(
                "LpPool",
                net -> net.op(
                        "LpPool", Map.of("kernel_shape", new int[] {32, 32}), net.floats("x", 1, 16, 1024, 1024)));
        add("LpPool of lost squares", net -> {
            Value x = net.op("Mul", net.floats("x", 1, 1, 1024, 1024), net.constant(Tensor.scalar(1e-30f)));
            return net.op("LpPool", Map.of("kernel_shape", new int[] {64, 64}), x);
        });
        add(
                "DeformConv",
                net -> net.op(
                        "DeformConv",
                        net.floats("x", 1, 32, 256, 256),
                        net.weights(32, 32, 3, 3),
                        net.floats("offset", 1, 18, 254, 254)));
        add("LRN", net -> net.op("LRN", Map.of("size", 5), net.floats("x", 1, 32, 1024, 1024)));
        add("GlobalAveragePool", net -> net.op("GlobalAveragePool", net.floats("x", 1, 1, SIDE, 2 * SIDE)));
    }

    private void rows() {
        add("Softmax of one row", net -> net.op("Softmax", Map.of("axis", -1), net.floats("x", 1, MANY)));
        add("Softmax of columns", net -> net.op("Softmax", Map.of("axis", 0), net.floats("x", 4, MANY / 4)));
        add("LogSoftmax", net -> net.op("LogSoftmax", Map.of("axis", -1), net.floats("x", 1, MANY)));
        add(
                "LayerNormalization of one row",
                net -> net.op(
                        "LayerNormalization",
                        net.floats("x", 1, MANY),
                        net.floats("scale", MANY),
                        net.floats("bias", MANY)));
        add(
                "LayerNormalization of many",
                net -> net.op("LayerNormalization", net.floats("x", 1 << 18, 128), net.weights(128), net.weights(128)));
        add(
                "InstanceNormalization",
                net -> net.op("InstanceNormalization", net.floats("x", 1, 1, MANY), net.weights(1), net.weights(1)));
        add(
                "GroupNormalization",
                net -> net.op(
                        "GroupNormalization",
                        Map.of("num_groups", 2),
                        net.floats("x", 1, 4, MANY / 4),
                        net.weights(4),
                        net.weights(4)));
        add(
                "BatchNormalization",
                net -> net.op(
                        "BatchNormalization",
                        net.floats("x", 1, 4, MANY / 4),
                        net.weights(4),
                        net.weights(4),
                        net.weights(4),
                        net.constant(Tensor.copyOf(new float[] {1, 1, 1, 1}, 4))));
        add("LpNormalization", net -> net.op("LpNormalization", Map.of("axis", 1), net.floats("x", 1, MANY)));
        add(
                "MeanVarianceNormalization",
                net -> net.op("MeanVarianceNormalization", net.floats("x", 1, 1, SIDE, 2 * SIDE)));
        add("Hardmax", net -> net.op("Hardmax", Map.of("axis", -1), net.floats("x", 1, MANY)));
        add("CumSum", net -> net.op("CumSum", net.floats("x", MANY), net.constant(Tensor.scalar(0L))));
        add(
                "CumSum of columns",
                net -> net.op("CumSum", net.floats("x", MANY / 64, 64), net.constant(Tensor.scalar(0L))));
    }

    private void steps() {
        add("Loop", net -> {
            Net body = net.body("body");
            body.input("i", INT64);
            Value go = body.input("go", ElementType.BOOL);
            Value carried = body.floats("carried", 16);
            body.output(body.op("Identity", go)).output(body.op("Tanh", carried));
            return net.op(
                    "Loop",
                    Map.of("body", body),
                    net.constant(Tensor.scalar(Long.MAX_VALUE)),
                    net.constant(Tensor.scalar(true)),
                    net.floats("x", 16));
        });
        add("Scan", net -> {
            Net body = net.body("body");
            Value state = body.floats("state", 4);
            Value sum = body.op("Add", body.op("Tanh", state), body.floats("item", 4));
            body.output(sum).output(body.op("Relu", sum));
            return net.ops(
                            "Scan",
                            2,
                            Map.of("body", body, "num_scan_inputs", 1),
                            net.floats("s", 4),
                            net.floats("x", 1 << 22, 4))
                    .getFirst();
        });
        add("LSTM", net -> recurrent(net, "LSTM", 4, 128, net.floats("x", 1 << 15, 1, 64), 64));
        add("LSTM of many", net -> recurrent(net, "LSTM", 4, 256, net.floats("x", 64, 256, 256), 256));
        add("GRU", net -> recurrent(net, "GRU", 3, 128, net.floats("x", 1 << 15, 1, 64), 64));
        add("RNN", net -> recurrent(net, "RNN", 1, 256, net.floats("x", 1 << 16, 1, 64), 64));
    }

    /** @param inputs the number of inputs of a step */
    private static Value recurrent(Net net, String op, int gates, int hidden, Value x, int inputs) {
        return net.op(
                op,
                Map.of("hidden_size", hidden),
                x,
                net.weights(1, gates * hidden, inputs),
                net.weights(1, gates * hidden, hidden));
    }
}
