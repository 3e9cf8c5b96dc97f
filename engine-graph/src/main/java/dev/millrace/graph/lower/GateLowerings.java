package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** Linear attention and what stands around it: norms that are gated, convolutions with a state. */
final class GateLowerings {
    private static final int LINEAR_ATTENTION_OPSET = 27;
    private static final int NORM_OPSET = 23;

    private GateLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case OpName.LINEAR_ATTENTION -> GateLowerings::linearAttention;
            case "CausalConvWithState" -> GateLowerings::causalConv;
            case "GatedRMSNorm" -> GateLowerings::norm;
            default -> null;
        };
    }

    private static void checkWindow(Composer c) {
        c.refuse(c.attributes().integer("state_window", 0) != 0, "states of several steps");
    }

    private static void linearAttention(Composer c) {
        checkWindow(c);
        NodeSpec spec = c.onnx(
                        OpName.LINEAR_ATTENTION,
                        LINEAR_ATTENTION_OPSET,
                        c.node().inputs().toArray(new Value[0]))
                .with(c.attributes().without("state_window"));
        var outputs = c.add(spec, 2);
        c.result(outputs.getFirst());
        c.result(1, outputs.getLast());
    }

    private static void causalConv(Composer c) {
        checkWindow(c);
        CausalConvLowering.write(c);
    }

    /** Each row is normalised in parts as long as the scale. */
    private static void norm(Composer c) {
        Value x = c.cast(c.input(0), ElementType.FLOAT);
        Value scale = c.cast(c.input(1), ElementType.FLOAT);
        Value parts = c.op(OpName.RESHAPE, x, c.concat(0, c.longs(-1), c.op(OpName.SHAPE, scale)));
        NodeSpec spec = c.onnx(OpName.RMS_NORMALIZATION, NORM_OPSET, parts, scale)
                .with("epsilon", Attribute.of(c.attributes().real("epsilon", 1e-5f)));
        Value normalised = c.op(OpName.RESHAPE, c.add(spec), c.op(OpName.SHAPE, x));
        Value gate = c.cast(c.input(2), ElementType.FLOAT);
        Value swish = c.op(OpName.MUL, gate, c.op(OpName.SIGMOID, gate));
        c.result(c.op(OpName.CAST_LIKE, c.op(OpName.MUL, normalised, swish), c.input(0)));
    }
}
