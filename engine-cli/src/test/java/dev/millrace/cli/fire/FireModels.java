package dev.millrace.cli.fire;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Small models of every family, as the bytes of their files. */
public final class FireModels {
    private FireModels() {}

    public static Map<String, byte[]> all() {
        var models = new LinkedHashMap<String, Supplier<byte[]>>();
        models.put("perceptron", FireModels::perceptron);
        models.put("convolutions", FireModels::convolutions);
        models.put("quantised", FireModels::quantised);
        models.put("attention", FireModels::attention);
        models.put("recurrent", FireModels::recurrent);
        models.put("shapes", FireModels::shapes);
        models.put("picking", FireModels::picking);
        models.put("image", FireModels::image);
        models.put("control", ControlModels::control);
        models.put("scan", ControlModels::scan);
        models.put("text", ControlModels::text);
        models.put("sequence", ControlModels::sequence);
        var bytes = new LinkedHashMap<String, byte[]>();
        models.forEach((name, model) -> bytes.put(name, model.get()));
        return bytes;
    }

    public static byte[] perceptron() {
        Net net = Net.named("perceptron");
        Value x = net.floats("x", "batch", 12);
        Value hidden = net.op("Relu", net.op("Add", net.op("MatMul", x, net.weights(12, 16)), net.weights(16)));
        Value normal = net.op("LayerNormalization", Map.of("axis", -1), hidden, net.weights(16), net.weights(16));
        Value logits = net.op("Gemm", Map.of("transB", 1, "alpha", 0.5f), normal, net.weights(7, 16), net.weights(7));
        return net.output(net.op("Softmax", Map.of("axis", 1), logits)).bytes();
    }

    public static byte[] convolutions() {
        Net net = Net.named("convolutions");
        Value x = net.floats("x", "batch", 3, 12, 10);
        Value first = net.op(
                "Relu",
                net.op("Conv", Map.of("pads", new int[] {1, 1, 1, 1}), x, net.weights(8, 3, 3, 3), net.weights(8)));
        Value depthwise = net.op(
                "Conv",
                Map.of("group", 8, "strides", new int[] {2, 2}, "pads", new int[] {1, 1, 1, 1}),
                first,
                net.weights(8, 1, 3, 3));
        Value pooled = net.op(
                "MaxPool",
                Map.of("kernel_shape", new int[] {2, 2}, "strides", new int[] {1, 1}),
                net.op("HardSwish", depthwise));
        Value wide = net.op("Add", net.op("Conv", pooled, net.weights(8, 8, 1, 1)), pooled);
        Value up = net.op("ConvTranspose", Map.of("strides", new int[] {2, 2}), wide, net.weights(8, 4, 2, 2));
        Value joined = net.op("Concat", Map.of("axis", 1), up, up);
        Value flat = net.op("Flatten", net.op("GlobalAveragePool", joined));
        return net.output(net.op("Gemm", flat, net.weights(8, 5), net.weights(5)))
                .bytes();
    }

    public static byte[] quantised() {
        Net net = Net.named("quantised");
        Value x = net.floats("x", "batch", 4, 6, 6);
        Value scale = net.constant(Tensor.scalar(0.02f));
        Value zero = net.constant(Tensor.copyOf(new byte[] {3}));
        Value in = quantisedAndBack(net, x, scale, zero);
        Value weight =
                net.op("DequantizeLinear", Map.of("axis", 0), bytes(net, 6, 4, 3, 3), net.weights(6), bytes(net, 6));
        Value conv = net.op("Relu", net.op("Conv", in, weight, net.weights(6)));
        Value out = quantisedAndBack(net, conv, scale, zero);
        Value flat = net.op("Reshape", out, net.longs(0, -1));
        Value product = net.op("MatMulInteger", net.op("QuantizeLinear", flat, scale, zero), bytes(net, 96, 5), zero);
        return net.output(net.op("Cast", Map.of("to", ElementType.FLOAT.code()), product))
                .output(out)
                .bytes();
    }

    private static Value quantisedAndBack(Net net, Value x, Value scale, Value zero) {
        return net.op("DequantizeLinear", net.op("QuantizeLinear", x, scale, zero), scale, zero);
    }

    private static Value bytes(Net net, long... dims) {
        byte[] values = new byte[(int) Shape.of(dims).elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (i * 37 % 19 - 9);
        }
        return net.constant(Tensor.copyOf(values, dims));
    }

    public static byte[] attention() {
        Net net = Net.named("attention");
        Value ids = net.input("ids", ElementType.INT64, "batch", "tokens");
        Value mask = net.floats("mask", "batch", "tokens");
        Value x = net.op("Gather", net.weights(11, 16), ids);
        Value query = heads(net, x);
        Value key = net.op("Transpose", Map.of("perm", new int[] {0, 1, 3, 2}), heads(net, x));
        Value scores = net.op("Div", net.op("MatMul", query, key), net.constant(Tensor.scalar(2f)));
        Value masked = net.op("Add", scores, net.op("Unsqueeze", mask, net.longs(1, 2)));
        Value mixed = net.op("MatMul", net.op("Softmax", Map.of("axis", -1), masked), heads(net, x));
        Value joined = net.op(
                "Reshape", net.op("Transpose", Map.of("perm", new int[] {0, 2, 1, 3}), mixed), net.longs(0, 0, 16));
        Value residual = net.op("Add", joined, x);
        Value normal = net.op("LayerNormalization", residual, net.weights(16), net.weights(16));
        Value gelu = net.op("Gelu", net.op("MatMul", normal, net.weights(16, 32)));
        return net.output(net.op("Add", net.op("MatMul", gelu, net.weights(32, 16)), normal))
                .bytes();
    }

    private static Value heads(Net net, Value x) {
        Value all = net.op("Add", net.op("MatMul", x, net.weights(16, 16)), net.weights(16));
        return net.op(
                "Transpose", Map.of("perm", new int[] {0, 2, 1, 3}), net.op("Reshape", all, net.longs(0, 0, 4, 4)));
    }

    public static byte[] recurrent() {
        Net net = Net.named("recurrent");
        Value x = net.floats("x", "steps", "batch", 6);
        var lstm = net.ops(
                "LSTM",
                3,
                Map.of("hidden_size", 5, "direction", "bidirectional"),
                x,
                net.weights(2, 20, 6),
                net.weights(2, 20, 5),
                net.weights(2, 40));
        Value merged = net.op(
                "Reshape",
                net.op("Transpose", Map.of("perm", new int[] {0, 2, 1, 3}), lstm.getFirst()),
                net.longs(0, 0, 10));
        var gru = net.ops(
                "GRU",
                2,
                Map.of("hidden_size", 4, "linear_before_reset", 1),
                merged,
                net.weights(1, 12, 10),
                net.weights(1, 12, 4));
        return net.output(gru.get(1)).output(lstm.get(2)).bytes();
    }

    public static byte[] shapes() {
        Net net = Net.named("shapes");
        Value x = net.floats("x", "rows", "columns");
        Value shape = net.op("Shape", x);
        Value rows = net.op("Gather", Map.of("axis", 0), shape, net.longs(0));
        Value reversed = net.op("Concat", Map.of("axis", 0), net.longs(1), net.longs(-1), rows);
        Value reshaped = net.op("Reshape", net.op("Transpose", x), reversed);
        Value wide = net.op("Expand", reshaped, net.longs(3, 1, 1));
        Value cut = net.op("Slice", wide, net.longs(0), net.longs(2), net.longs(0), net.longs(1));
        Value range = net.op(
                "Range", net.constant(Tensor.scalar(0L)), net.op("Squeeze", rows), net.constant(Tensor.scalar(1L)));
        Value even = net.op("Equal", net.op("Mod", range, net.longs(2)), net.longs(0));
        Value chosen = net.op("Where", even, cut, net.op("Neg", cut));
        Value padded = net.op("Pad", Map.of("mode", "reflect"), x, net.longs(0, 0, 0, 0));
        return net.output(net.op("ReduceMean", Map.of("keepdims", 0), chosen, net.longs(1)))
                .output(net.op("Tile", padded, net.longs(1, 2)))
                .bytes();
    }

    public static byte[] picking() {
        Net net = Net.named("picking");
        Value x = net.floats("x", "rows", 9);
        Value indices = net.input("indices", ElementType.INT64, "rows", 2);
        var top = net.ops("TopK", 2, Map.of("axis", 1), x, net.longs(3));
        Value gathered = net.op("GatherElements", Map.of("axis", 1), x, indices);
        Value scattered = net.op("ScatterElements", Map.of("axis", 1, "reduction", "add"), x, indices, gathered);
        Value summed = net.op("CumSum", scattered, net.constant(Tensor.scalar(1L)));
        Value found = net.op("Transpose", net.op("NonZero", net.op("Greater", summed, x)));
        Value nth = net.op("GatherND", x, found);
        return net.output(top.get(0))
                .output(top.get(1))
                .output(net.op("ArgMax", Map.of("axis", 1), summed))
                .output(nth)
                .output(net.op("OneHot", indices, net.constant(Tensor.scalar(9L)), net.weights(2)))
                .bytes();
    }

    public static byte[] image() {
        Net net = Net.named("image");
        Value x = net.floats("x", 1, 2, 8, 8);
        Value boxes = net.floats("boxes", "boxes", 4);
        Value big = net.op(
                "Resize",
                Map.of("mode", "linear"),
                x,
                null,
                net.constant(Tensor.copyOf(new float[] {1, 1, 2, 1.5f}, 4)));
        Value batch = net.op(
                "Cast",
                Map.of("to", ElementType.INT64.code()),
                net.op(
                        "ReduceSum",
                        Map.of("keepdims", 0),
                        net.op("Mul", boxes, net.constant(Tensor.scalar(0f))),
                        net.longs(1)));
        Value pooled = net.op("RoiAlign", Map.of("output_height", 2, "output_width", 2), big, boxes, batch);
        Value scores =
                net.op("Unsqueeze", net.op("ReduceMax", Map.of("keepdims", 0), boxes, net.longs(1)), net.longs(0, 1));
        Value kept = net.op(
                "NonMaxSuppression",
                net.op("Unsqueeze", boxes, net.longs(0)),
                scores,
                net.constant(Tensor.scalar(4L)),
                net.constant(Tensor.scalar(0.5f)));
        return net.output(pooled)
                .output(kept)
                .output(net.op("LRN", Map.of("size", 3), big))
                .bytes();
    }
}
