package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Folds operators after a convolution that scale and shift each channel into its weights and bias. */
final class ConvFusions {
    static final Set<String> ARITHMETIC = Set.of(OpName.ADD, OpName.SUB, OpName.MUL, OpName.DIV);

    private ConvFusions() {}

    /** Folds a BatchNormalization after a convolution. */
    static @Nullable Patch batchNorm(Node norm, PassContext context) {
        FoldableConv conv = FoldableConv.behind(norm.input(0), norm);
        ChannelAffine affine = conv == null ? null : ChannelAffine.ofBatchNorm(norm, conv.channels());
        return conv == null || affine == null ? null : conv.absorb(affine, norm, context);
    }

    /** Folds arithmetic with a constant after a convolution. */
    static @Nullable Patch arithmetic(Node node, PassContext context) {
        for (Value operand : node.inputs()) {
            FoldableConv conv = FoldableConv.behind(operand, node);
            ChannelAffine affine = conv == null || operand == null
                    ? null
                    : ChannelAffine.ofArithmetic(node, operand, conv.channels(), conv.rank());
            if (conv != null && affine != null) {
                return conv.absorb(affine, node, context);
            }
        }
        return null;
    }
}
