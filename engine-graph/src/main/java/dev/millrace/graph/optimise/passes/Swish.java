package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/** {@code x * sigmoid(alpha * x)} is a Swish. */
final class Swish {
    private static final int SINCE = 24;

    private Swish() {}

    static @Nullable Patch at(Node node, PassContext context) {
        ScaledProduct product = ScaledProduct.of(node);
        if (product == null || product.factors().size() != 2 || !product.near(1)) {
            return null;
        }
        for (int i = 0; i < 2; i++) {
            Value x = product.factors().get(i);
            Node sigmoid = GraphPatterns.inner(product.factors().get(1 - i), node.graph(), OpName.SIGMOID);
            ScaledProduct argument = sigmoid == null ? null : ScaledProduct.of(sigmoid.requireInput(0), node.graph());
            if (argument != null
                    && argument.factors().size() == 1
                    && argument.factors().getFirst() == x
                    && GraphPatterns.isReal(x)
                    && GraphPatterns.sameRank(x, node.output(0))) {
                NodeSpec spec = NodeSpec.of(OpId.onnx("Swish"), GraphPatterns.opset(node, SINCE), x)
                        .named(node.name())
                        .with("alpha", Attribute.of((float) argument.coefficient()));
                return context.patch(node, "a value times its sigmoid")
                        .replace(node.requireOutput(0), spec)
                        .build();
            }
        }
        return null;
    }
}
