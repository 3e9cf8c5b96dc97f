package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Operators on quantised numbers: those on real numbers, between steps there and back. */
final class QuantisedLowerings {
    private QuantisedLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "QLinearAdd" -> c -> binary(c, OpName.ADD);
            case "QLinearMul" -> c -> binary(c, OpName.MUL);
            case "QLinearSigmoid" -> c -> unary(c, c.onnx(OpName.SIGMOID, QuantisationSteps.real(c, 0)));
            case "QLinearLeakyRelu" ->
                c -> unary(c, c.onnx("LeakyRelu", QuantisationSteps.real(c, 0)).with(c.attributes()));
            case "QLinearSoftmax" -> QuantisedLowerings::softmax;
            case "QLinearReduceMean" -> QuantisedLowerings::mean;
            case "QLinearAveragePool" -> c -> pool(c, OpName.AVERAGE_POOL);
            case "QLinearGlobalAveragePool" -> c -> pool(c, OpName.GLOBAL_AVERAGE_POOL);
            case "QLinearConcat" -> QuantisedLowerings::concat;
            case "QLinearWhere" -> QuantisedLowerings::where;
            case OpName.Q_LINEAR_CONV -> QuantisedLowerings::conv;
            case "QEmbedLayerNormalization" -> QuantisedLowerings::embed;
            case OpName.QUANTIZE_LINEAR -> c -> renamed(c, OpName.QUANTIZE_LINEAR);
            default -> null;
        };
    }

    private static void binary(Composer c, String op) {
        Value real = c.op(op, QuantisationSteps.real(c, 0), QuantisationSteps.real(c, 3));
        c.result(QuantisationSteps.quantised(c, real, 6, c.element(0)));
    }

    private static void unary(Composer c, NodeSpec real) {
        c.result(QuantisationSteps.quantised(c, c.add(real), 3, c.element(0)));
    }

    private static void softmax(Composer c) {
        int opset = c.attributes().integer("opset") < 13 ? 11 : 13;
        NodeSpec spec = c.onnx(OpName.SOFTMAX, opset, QuantisationSteps.real(c, 0))
                .with("axis", Attribute.of(c.attributes().integer("axis", opset < 13 ? 1 : -1)));
        unary(c, spec);
    }

    private static void mean(Composer c) {
        long[] axes = c.attributes().integers("axes");
        Value real = QuantisationSteps.real(c, 0);
        NodeSpec spec = (axes == null
                        ? c.onnx(OpName.REDUCE_MEAN, real)
                        : c.onnx(OpName.REDUCE_MEAN, real, c.longs(axes)))
                .with("keepdims", Attribute.of(c.attributes().integer("keepdims", 1)));
        unary(c, spec);
    }

    private static void pool(Composer c, String op) {
        Attributes attributes = c.attributes().without("channels_last");
        Value real = QuantisationSteps.real(c, 0);
        Value pooled = c.attributes().flag("channels_last", false)
                ? ChannelsLast.around(
                        c, real, c.rank(0), x -> c.add(c.onnx(op, x).with(attributes)))
                : c.add(c.onnx(op, real).with(attributes));
        c.result(QuantisationSteps.quantised(c, pooled, 3, c.element(0)));
    }

    /** A scale and a zero point of the result, then three inputs for each part. */
    private static void concat(Composer c) {
        var parts = new ArrayList<@Nullable Value>();
        for (int i = 2; i + 2 < c.node().inputs().size(); i += 3) {
            parts.add(QuantisationSteps.real(c, i));
        }
        NodeSpec spec = c.onnx(OpName.CONCAT, parts.toArray(new Value[0]))
                .with("axis", Attribute.of(c.attributes().integer("axis")));
        c.result(QuantisationSteps.quantised(c, c.add(spec), 0, c.element(1)));
    }

    private static void where(Composer c) {
        Value real = c.op(OpName.WHERE, c.input(0), QuantisationSteps.real(c, 1), QuantisationSteps.real(c, 4));
        c.result(QuantisationSteps.quantised(c, real, 7, c.element(1)));
    }

    /** ONNX's own operator, whose images may lie with their channels last; weights never do. */
    private static void conv(Composer c) {
        var inputs = c.node().inputs().toArray(new Value[0]);
        NodeSpec spec = c.onnx(OpName.Q_LINEAR_CONV, inputs).with(c.attributes().without("channels_last"));
        if (!c.attributes().flag("channels_last", false)) {
            c.result(c.add(spec));
            return;
        }
        c.result(ChannelsLast.around(c, c.input(0), c.rank(0), x -> {
            inputs[0] = x;
            return c.add(c.onnx(OpName.Q_LINEAR_CONV, inputs).with(spec.attributes()));
        }));
    }

    /** Tables and weights of a norm over embeddings; their scales and zero points are inputs further on. */
    private static void embed(Composer c) {
        boolean segments = c.has(4);
        NodeSpec spec = c.contributed(
                        "EmbedLayerNormalization",
                        c.input(0),
                        c.find(1),
                        real(c, 2, 8, 13),
                        real(c, 3, 9, 14),
                        segments ? real(c, 4, 10, 15) : null,
                        real(c, 5, 11, 16),
                        real(c, 6, 12, 17),
                        c.find(7))
                .with(c.attributes());
        var outputs = c.add(spec, 2);
        c.result(outputs.getFirst());
        c.result(1, outputs.getLast());
    }

    private static Value real(Composer c, int input, int scale, int zero) {
        return c.op(
                OpName.DEQUANTIZE_LINEAR,
                c.input(input),
                c.op(OpName.RESHAPE, c.input(scale), c.longs()),
                c.op(OpName.RESHAPE, c.input(zero), c.longs()));
    }

    /** An operator of ONNX's, which has had all types of this one since. */
    static void renamed(Composer c, String op) {
        NodeSpec spec = c.onnx(op, c.node().inputs().toArray(new Value[0])).with(c.attributes());
        c.result(c.add(spec));
    }

    /** DynamicQuantizeLSTM: an LSTM whose weights were made smaller, and lie with the gates last. */
    static void lstm(Composer c) {
        Value[] weights = {weights(c, 1, 8), weights(c, 2, 10)};
        NodeSpec spec = c.onnx(
                        OpName.LSTM,
                        c.input(0),
                        weights[0],
                        weights[1],
                        c.find(3),
                        c.find(4),
                        c.find(5),
                        c.find(6),
                        c.find(7))
                .with(c.attributes());
        var outputs = c.add(spec, 3);
        for (int i = 0; i < outputs.size(); i++) {
            c.result(i, outputs.get(i));
        }
    }

    /** Weights of {@code [directions, inputs, gates]}, whose scales are by direction or by direction and gate. */
    private static Value weights(Composer c, int input, int scale) {
        boolean byGate = c.rank(scale) == 2;
        Value axes = byGate ? c.longs(1) : c.longs(1, 2);
        Value scales = c.op(OpName.UNSQUEEZE, c.input(scale), axes);
        Value zeros = c.op(OpName.UNSQUEEZE, c.cast(c.input(scale + 1), ElementType.FLOAT), axes);
        Value real = c.op(OpName.MUL, c.op(OpName.SUB, c.cast(c.input(input), ElementType.FLOAT), zeros), scales);
        return c.transpose(real, 0, 2, 1);
    }
}
