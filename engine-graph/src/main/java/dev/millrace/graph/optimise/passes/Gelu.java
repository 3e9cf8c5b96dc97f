package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/**
 * {@code x * (1 + erf(x / √2)) / 2} is a Gelu, and {@code x * (1 + tanh(√(2/π) * (x + 0.044715 x³))) / 2} its
 * approximation, in whatever order the factors are multiplied.
 */
final class Gelu {
    private static final int SINCE = 20;
    private static final double CUBIC = 0.044715;

    private Gelu() {}

    static @Nullable Patch exact(Node node, PassContext context) {
        return at(node, "Erf", "none", context);
    }

    static @Nullable Patch tanh(Node node, PassContext context) {
        return at(node, OpName.TANH, "tanh", context);
    }

    private static @Nullable Patch at(Node node, String curve, String approximate, PassContext context) {
        ScaledProduct product = ScaledProduct.of(node);
        if (product == null || product.factors().size() != 2 || !product.near(0.5)) {
            return null;
        }
        Value output = node.requireOutput(0);
        for (int i = 0; i < 2; i++) {
            Value x = product.factors().get(i);
            Value argument = argumentOfOnePlus(curve, product.factors().get(1 - i), node.graph());
            boolean fits = argument != null
                    && GraphPatterns.isReal(x)
                    && GraphPatterns.sameRank(x, output)
                    && (curve.equals("Erf") ? isErfOf(x, argument, node.graph()) : isTanhOf(x, argument, node.graph()));
            if (fits) {
                NodeSpec spec = NodeSpec.of(OpId.onnx(OpName.GELU), GraphPatterns.opset(node, SINCE), x)
                        .named(node.name())
                        .with("approximate", Attribute.of(approximate));
                return context.patch(node, "the parts of a Gelu by " + curve)
                        .replace(output, spec)
                        .build();
            }
        }
        return null;
    }

    /** The value {@code a} where {@code sum} is {@code 1 + curve(a)}. */
    private static @Nullable Value argumentOfOnePlus(String curve, Value sum, Graph graph) {
        Node add = GraphPatterns.innerArithmetic(sum, graph, OpName.ADD);
        if (add == null) {
            return null;
        }
        for (Value operand : add.inputs()) {
            Node curved = GraphPatterns.inner(operand, graph, curve);
            if (curved != null && operand != null && Constants.isScalar(GraphPatterns.other(add, operand), 1)) {
                return curved.input(0);
            }
        }
        return null;
    }

    private static boolean isErfOf(Value x, Value argument, Graph graph) {
        return ScaledProduct.of(argument, graph).is(Math.sqrt(0.5), x);
    }

    private static boolean isTanhOf(Value x, Value argument, Graph graph) {
        ScaledProduct product = ScaledProduct.of(argument, graph);
        if (!product.near(Math.sqrt(2 / Math.PI))) {
            return false;
        }
        return switch (product.factors().size()) {
            case 1 -> isSum(product.factors().getFirst(), graph, x, x, x, x);
            case 2 -> {
                int at = product.factors().indexOf(x);
                yield at >= 0 && isSum(product.factors().get(1 - at), graph, null, x, x);
            }
            default -> false;
        };
    }

    /** Whether {@code sum} is {@code first} (1 where null) plus 0.044715 times these factors. */
    private static boolean isSum(Value sum, Graph graph, @Nullable Value first, Value... cubic) {
        Node add = GraphPatterns.innerArithmetic(sum, graph, OpName.ADD);
        if (add == null) {
            return false;
        }
        for (Value operand : add.inputs()) {
            boolean starts = first == null ? Constants.isScalar(operand, 1) : operand == first;
            Value other = operand == null ? null : GraphPatterns.other(add, operand);
            if (starts && other != null && ScaledProduct.of(other, graph).is(CUBIC, cubic)) {
                return true;
            }
        }
        return false;
    }
}
