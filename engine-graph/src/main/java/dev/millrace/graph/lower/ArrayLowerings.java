package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operators that ONNX has under another name, or with inputs of another type. */
final class ArrayLowerings {
    private ArrayLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "ExpandDims" ->
                c -> c.result(c.op(OpName.UNSQUEEZE, c.input(0), flat(c, c.cast(c.input(1), ElementType.INT64))));
            case OpName.GATHER_ND ->
                c -> c.result(c.op(OpName.GATHER_ND, c.input(0), c.cast(c.input(1), ElementType.INT64)));
            case OpName.TRILU -> c -> QuantisedLowerings.renamed(c, OpName.TRILU);
            case "TorchEmbedding" -> c -> c.result(c.op(OpName.GATHER, c.input(0), c.input(1)));
            case "WordConvEmbedding" -> WordConvLowering::write;
            case "CDist" -> ArrayLowerings::distances;
            case OpName.PAD -> ArrayLowerings::pad;
            case OpName.RANGE -> ArrayLowerings::range;
            case OpName.UNIQUE -> ArrayLowerings::unique;
            case "Rfft" -> ArrayLowerings::spectrum;
            case "Irfft" -> ArrayLowerings::signal;
            case "ConvTransposeWithDynamicPads" -> ArrayLowerings::convTranspose;
            default -> null;
        };
    }

    private static Value flat(Composer c, Value value) {
        return c.op(OpName.RESHAPE, value, c.longs(-1));
    }

    private static void pad(Composer c) {
        Value fill = c.has(2) ? c.op(OpName.RESHAPE, c.input(2), c.longs()) : null;
        NodeSpec spec = c.onnx(OpName.PAD, c.input(0), flat(c, c.input(1)), fill);
        c.result(c.add(spec.with("mode", Attribute.of(c.attributes().text("mode", "constant")))));
    }

    /** How far each row of the first matrix is from each of the second. */
    private static void distances(Composer c) {
        String metric = c.attributes().text("metric", "sqeuclidean");
        boolean squared = metric.equals("sqeuclidean");
        c.refuse(!squared && !metric.equals("euclidean"), "metric '" + metric + "'");
        Value rows = c.op(OpName.UNSQUEEZE, c.input(0), c.longs(1));
        Value others = c.op(OpName.UNSQUEEZE, c.input(1), c.longs(0));
        NodeSpec spec = c.onnx("ReduceSumSquare", c.op(OpName.SUB, rows, others), c.longs(-1))
                .with("keepdims", Attribute.of(0));
        Value squares = c.add(spec);
        c.result(squared ? squares : c.op(OpName.SQRT, squares));
    }

    private static void range(Composer c) {
        ElementType type = c.element(0);
        Value step = c.has(2) ? scalar(c, 2) : c.scalar(type, 1);
        c.result(c.op(OpName.RANGE, scalar(c, 0), scalar(c, 1), step));
    }

    private static Value scalar(Composer c, int input) {
        return c.op(OpName.RESHAPE, c.input(input), c.longs());
    }

    private static void unique(Composer c) {
        List<Value> outputs = c.add(c.onnx(OpName.UNIQUE, c.input(0)).with("sorted", Attribute.of(0)), 4);
        c.result(outputs.getFirst());
        c.result(1, outputs.get(2));
        c.result(2, outputs.get(3));
    }

    private static void checkTransform(Composer c) {
        boolean usual = c.attributes().integer("signal_ndim", 1) == 1
                && c.attributes().flag("onesided", true)
                && !c.attributes().flag("normalized", false);
        c.refuse(!usual, "transforms of several axes, of both sides or with a norm");
    }

    /** The first half of the spectrum of real signals. */
    private static void spectrum(Composer c) {
        checkTransform(c);
        Value signal = c.op(OpName.UNSQUEEZE, c.input(0), c.longs(-1));
        c.result(c.add(c.onnx(OpName.DFT, signal).with("onesided", Attribute.of(1))));
    }

    /** Real signals from the first half of their spectrum; as in {@link #spectrum}, their length is even. */
    private static void signal(Composer c) {
        checkTransform(c);
        Value bins = c.extents(c.input(0), -2, -1);
        Value length = c.op(OpName.MUL, c.op(OpName.SUB, bins, c.longs(1)), c.longs(2));
        NodeSpec spec = c.onnx(OpName.DFT, c.input(0), c.op(OpName.RESHAPE, length, c.longs()))
                .with("onesided", Attribute.of(1))
                .with("inverse", Attribute.of(1));
        c.result(c.op(OpName.SQUEEZE, c.add(spec), c.longs(-1)));
    }

    /** Pads that are computed are cut off what is computed without any. */
    private static void convTranspose(Composer c) {
        NodeSpec spec =
                c.onnx(OpName.CONV_TRANSPOSE, c.input(0), c.input(1), c.find(3)).with(c.attributes());
        Value pads = c.find(2);
        Tensor known = pads == null ? null : pads.constant();
        if (pads == null || known != null) {
            c.result(c.add(known == null ? spec : spec.with("pads", Attribute.of(known.longs()))));
            return;
        }
        boolean automatic = !c.attributes().text("auto_pad", "NOTSET").equals("NOTSET");
        c.refuse(automatic, "pads that are an input beside auto_pad");
        int axes = c.rank(0) - 2;
        Value whole = c.add(spec);
        List<Value> sides =
                c.add(c.onnx(OpName.SPLIT, pads).with("axis", Attribute.of(0)).with("num_outputs", Attribute.of(2)), 2);
        Value extents = c.add(c.onnx(OpName.SHAPE, whole).with("start", Attribute.of(2)));
        long[] spatial = new long[axes];
        for (int i = 0; i < axes; i++) {
            spatial[i] = i + 2;
        }
        Value ends = c.op(OpName.SUB, extents, sides.getLast());
        c.result(c.op(OpName.SLICE, whole, sides.getFirst(), ends, c.longs(spatial)));
    }
}
