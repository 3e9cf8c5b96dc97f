package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/** {@code x * clip(x + 3, 0, 6) / 6}, or x times that HardSigmoid, is a HardSwish. */
final class HardSwish {
    private static final int SINCE = 14;

    private HardSwish() {}

    static @Nullable Patch at(Node node, PassContext context) {
        ScaledProduct product = ScaledProduct.of(node);
        if (product == null || product.factors().size() != 2) {
            return null;
        }
        for (int i = 0; i < 2; i++) {
            Value x = product.factors().get(i);
            Value gate = product.factors().get(1 - i);
            boolean clipped = product.near(1.0 / 6) && isClipOfPlusThree(x, gate, node.graph());
            boolean sigmoid = product.near(1) && isSigmoid(x, gate, node.graph());
            if ((clipped || sigmoid) && GraphPatterns.isReal(x) && GraphPatterns.sameRank(x, node.output(0))) {
                NodeSpec spec = NodeSpec.of(OpId.onnx("HardSwish"), GraphPatterns.opset(node, SINCE), x)
                        .named(node.name());
                return context.patch(node, "the parts of a HardSwish")
                        .replace(node.requireOutput(0), spec)
                        .build();
            }
        }
        return null;
    }

    private static boolean isClipOfPlusThree(Value x, Value gate, Graph graph) {
        Node clip = GraphPatterns.inner(gate, graph, OpName.CLIP);
        Bounds bounds = clip == null ? null : Bounds.of(clip);
        Node add = clip == null ? null : GraphPatterns.innerArithmetic(clip.input(0), graph, OpName.ADD);
        if (bounds == null || bounds.low() != 0 || bounds.high() != 6 || add == null) {
            return false;
        }
        return add.inputs().contains(x) && Constants.isScalar(GraphPatterns.other(add, x), 3);
    }

    private static boolean isSigmoid(Value x, Value gate, Graph graph) {
        Node sigmoid = GraphPatterns.inner(gate, graph, "HardSigmoid");
        return sigmoid != null
                && sigmoid.input(0) == x
                && Constants.isNear(sigmoid.attributes().real("alpha", 0.2f), 1.0 / 6, x.elementType())
                && sigmoid.attributes().real("beta", 0.5f) == 0.5f;
    }
}
