package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** A SoftmaxCrossEntropyLoss of floats is a NegativeLogLikelihoodLoss of a LogSoftmax. */
final class SoftmaxLoss {
    private static final int SINCE = 13;

    private SoftmaxLoss() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value scores = node.requireInput(0);
        if (scores.elementType() != ElementType.FLOAT || node.output(0) == null) {
            return null;
        }
        Patch.Builder patch = context.patch(node, "a softmax and a loss");
        NodeSpec softmax = NodeSpec.of(OpId.onnx(OpName.LOG_SOFTMAX), GraphPatterns.opset(node, SINCE), scores)
                .named(node.name())
                .with("axis", Attribute.of(1));
        Value chances = node.output(1);
        Value logarithms =
                patch.add(softmax, chances == null ? node.requireOutput(0).name() + "_log" : chances.name());
        if (chances != null) {
            patch.redirect(chances, logarithms);
        }
        var inputs = new ArrayList<@Nullable Value>(node.inputs());
        inputs.set(0, logarithms);
        NodeSpec loss = NodeSpec.of(
                        OpId.onnx(OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS), GraphPatterns.opset(node, SINCE), inputs)
                .named(node.name())
                .with(node.attributes());
        return patch.replace(node.requireOutput(0), loss).build();
    }
}
