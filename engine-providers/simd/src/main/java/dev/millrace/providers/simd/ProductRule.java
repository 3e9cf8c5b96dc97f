package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a product by constant weights is: x · W + bias, then {@code emitter} of that and of {@code others}.
 *
 * @param transposed whether the weights lie with n rows of k
 */
record ProductRule(
        Value x,
        Value weights,
        boolean transposed,
        @Nullable Value bias,
        List<Value> others,
        Emitter emitter) {
    private static final OpId LINEAR = new OpId(OpId.MILLRACE, "Linear");
    private static final Emitter NOTHING = (builder, values) -> values[0];

    ProductRule {
        others = List.copyOf(others);
    }

    /** The rule for a product of floats; null where there is none. */
    static @Nullable ProductRule of(Node node) {
        Value x = node.input(0);
        Value weights = node.input(1);
        Tensor matrix = weights == null ? null : weights.constant();
        if (x == null || weights == null || matrix == null || !isProduct(matrix.shape()) || !allFloat(node)) {
            return null;
        }
        if (node.op().equals(LINEAR)) {
            return linear(node, x, weights);
        }
        return switch (node.op().isOnnx("Gemm") ? "Gemm" : node.op().isOnnx("MatMul") ? "MatMul" : "") {
            case "Gemm" -> gemm(node, x, weights);
            case "MatMul" -> new ProductRule(x, weights, false, null, List.of(), NOTHING);
            default -> null;
        };
    }

    /** K: the length of x's last axis. */
    long rows() {
        return shape().dim(transposed ? 1 : 0);
    }

    /** N: the length of the result's last axis. */
    long columns() {
        return shape().dim(transposed ? 0 : 1);
    }

    private Shape shape() {
        return Objects.requireNonNull(weights.constant()).shape();
    }

    private static boolean isProduct(Shape shape) {
        return shape.rank() == 2
                && shape.elements() > 0
                && shape.dim(0) <= Integer.MAX_VALUE
                && shape.dim(1) <= Integer.MAX_VALUE;
    }

    private static boolean allFloat(Node node) {
        var values = new ArrayList<>(node.inputs());
        values.addAll(node.outputs());
        return node.outputs().size() == 1
                && values.stream().allMatch(value -> value == null || value.elementType() == ElementType.FLOAT);
    }

    private static @Nullable ProductRule linear(Node node, Value x, Value weights) {
        String activation = node.attributes().text("activation", "");
        Op op = switch (activation) {
            case "Relu" -> Op.RELU;
            case "Gelu" -> Op.GELU;
            case "GeluTanh" -> Op.GELU_TANH;
            case "Tanh" -> Op.TANH;
            case "Sigmoid" -> Op.SIGMOID;
            case "HardSwish" -> Op.HARD_SWISH;
            default -> null;
        };
        Value residual = node.input(3);
        boolean known = op != null || activation.isEmpty();
        if (!known || (op != null && residual != null)) {
            return null;
        }
        Value bias = node.input(2);
        boolean simple = bias == null || isBias(bias, weights.constant(), false);
        var others = new ArrayList<Value>();
        if (bias != null && !simple) {
            others.add(bias);
        }
        if (residual != null) {
            others.add(residual);
        }
        Emitter emitter = (builder, values) -> {
            int result = values[0];
            for (int i = 1; i < values.length; i++) {
                result = builder.binary(Op.ADD, result, values[i]);
            }
            return op == null ? result : builder.unary(op, result);
        };
        return new ProductRule(x, weights, false, simple ? bias : null, others, emitter);
    }

    private static @Nullable ProductRule gemm(Node node, Value x, Value weights) {
        Attributes attributes = node.attributes();
        boolean transposed = attributes.flag("transB", false);
        float alpha = attributes.real("alpha", 1);
        float beta = attributes.real("beta", 1);
        if (node.opset() < 7 || attributes.flag("transA", false)) {
            return null;
        }
        Value added = node.input(2);
        if (added == null || (alpha == 1 && beta == 1 && isBias(added, weights.constant(), transposed))) {
            Emitter scaled = (builder, values) -> builder.unary(Op.SCALE, values[0], alpha);
            return new ProductRule(x, weights, transposed, added, List.of(), alpha == 1 ? NOTHING : scaled);
        }
        Emitter emitter = (builder, values) -> {
            int product = alpha == 1 ? values[0] : builder.unary(Op.SCALE, values[0], alpha);
            int other = beta == 1 ? values[1] : builder.unary(Op.SCALE, values[1], beta);
            return builder.binary(Op.ADD, product, other);
        };
        return new ProductRule(x, weights, transposed, null, List.of(added), emitter);
    }

    /** Whether {@code value} is one constant number per column of the product. */
    private static boolean isBias(Value value, @Nullable Tensor weights, boolean transposed) {
        Tensor bias = value.constant();
        if (bias == null || weights == null) {
            return false;
        }
        long n = weights.shape().dim(transposed ? 0 : 1);
        Shape shape = bias.shape();
        return shape.elements() == n && shape.rank() > 0 && shape.rank() <= 2 && shape.dimAt(-1) == n;
    }
}
