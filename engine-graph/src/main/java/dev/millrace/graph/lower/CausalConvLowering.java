package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;

/** CausalConvWithState: each channel convolved with what was before it, of which as much is kept for the next call. */
final class CausalConvLowering {
    private static final int STEPS = 2;

    /** Before it, Conv did not have all types. */
    private static final int CONV_OPSET = 22;

    private CausalConvLowering() {}

    static void write(Composer c) {
        long channels = extent(c, 0);
        long before = extent(c, STEPS) - 1;
        String activation = c.attributes().text("activation", "none");
        boolean swish = activation.equals("silu") || activation.equals("swish");
        c.refuse(!swish && !activation.equals("none"), "activation '" + activation + "'");
        Value all = c.has(3)
                ? c.add(c.onnx("Concat", c.input(3), c.input(0)).with("axis", Attribute.of(STEPS)))
                : c.op("Pad", c.input(0), c.longs(0, 0, before, 0, 0, 0));
        Value y = c.add(c.onnx("Conv", CONV_OPSET, all, c.input(1), c.find(2)).with("group", Attribute.of(channels)));
        c.result(swish ? c.op("Mul", y, c.op("Sigmoid", y)) : y);
        Value from = c.longs(before == 0 ? Long.MAX_VALUE : -before);
        c.result(1, c.op("Slice", all, from, c.longs(Long.MAX_VALUE), c.longs(STEPS)));
    }

    private static long extent(Composer c, int axis) {
        SymbolicShape weights = c.input(1).shape();
        if (weights != null && weights.rank() == 3 && weights.dim(axis) instanceof Dim.Known(long extent)) {
            return extent;
        }
        throw c.refuse("weights whose extents are not known before a run, or of other than one axis");
    }
}
