package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic with constants behind a BatchNormalization goes into its scale and shift. A convolution before both then takes
 * in one of them, and its weights are scaled once.
 */
final class BatchNormArithmetic {
    private BatchNormArithmetic() {}

    static @Nullable Patch at(Node node, PassContext context) {
        for (Value operand : node.inputs()) {
            Node norm = GraphPatterns.inner(operand, node.graph(), OpName.BATCH_NORMALIZATION);
            Tensor gamma = norm == null ? null : norm.requireInput(1).constant();
            if (norm == null || operand == null || gamma == null || !isExact(gamma.type())) {
                continue;
            }
            int channels = Math.toIntExact(gamma.elements());
            int rank = GraphPatterns.rank(norm.input(0));
            ChannelAffine before = ChannelAffine.ofBatchNorm(norm, channels);
            ChannelAffine behind = rank < 2 ? null : ChannelAffine.ofArithmetic(node, operand, channels, rank);
            Tensor beta = norm.requireInput(2).constant();
            if (before != null && behind != null && beta != null && beta.type() == gamma.type()) {
                return patch(norm, node, gamma, beta, behind, context);
            }
        }
        return null;
    }

    private static boolean isExact(ElementType type) {
        return type == ElementType.FLOAT || type == ElementType.DOUBLE;
    }

    private static Patch patch(
            Node norm, Node node, Tensor gamma, Tensor beta, ChannelAffine behind, PassContext context) {
        double[] scale = gamma.doubles();
        double[] shift = beta.doubles();
        for (int i = 0; i < scale.length; i++) {
            scale[i] *= behind.scale()[i];
            shift[i] = shift[i] * behind.scale()[i] + behind.shift()[i];
        }
        Patch.Builder patch = context.patch(node, "BatchNormalization takes in " + node.op());
        List<@Nullable Value> inputs = new ArrayList<>(norm.inputs());
        inputs.set(1, patch.constant(norm.requireInput(1).name(), Constants.of(gamma.type(), scale, scale.length)));
        inputs.set(2, patch.constant(norm.requireInput(2).name(), Constants.of(beta.type(), shift, shift.length)));
        return patch.replace(node.requireOutput(0), NodeSpec.like(norm, inputs)).build();
    }
}
