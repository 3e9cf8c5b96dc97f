package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;

/** CausalConvWithState: each channel convolved with what was before it, of which as much is kept for the next call. */
final class CausalConvLowering {
    private static final int STEPS = 2;

    /** Before it, Conv did not have all types. */
    private static final int CONV_OPSET = 22;

    private CausalConvLowering() {}

    static void write(Composer c) {
        c.refuse(c.rank(1) != STEPS + 1, "weights of " + c.rank(1) + " axes");
        long channels = c.extent(1, 0);
        long before = c.extent(1, STEPS) - 1;
        String activation = c.attributes().text("activation", "none");
        boolean swish = activation.equals("silu") || activation.equals("swish");
        c.refuse(!swish && !activation.equals("none"), "activation '" + activation + "'");
        Value all = c.has(3)
                ? c.concat(STEPS, c.input(3), c.input(0))
                : c.op(OpName.PAD, c.input(0), c.longs(0, 0, before, 0, 0, 0));
        Value y = c.add(
                c.onnx(OpName.CONV, CONV_OPSET, all, c.input(1), c.find(2)).with("group", Attribute.of(channels)));
        c.result(swish ? c.op(OpName.MUL, y, c.op(OpName.SIGMOID, y)) : y);
        Value from = c.longs(before == 0 ? Long.MAX_VALUE : -before);
        c.result(1, c.op(OpName.SLICE, all, from, c.longs(Long.MAX_VALUE), c.longs(STEPS)));
    }
}
