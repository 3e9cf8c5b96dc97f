package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** MatMul and the Add of its bias, or a Gemm, by constant weights: one Linear. */
final class MakeLinear {
    private MakeLinear() {}

    static @Nullable Patch fromAdd(Node add, PassContext context) {
        if (!GraphPatterns.isArithmetic(add, OpName.ADD)) {
            return null;
        }
        for (Value operand : add.inputs()) {
            Node product = GraphPatterns.inner(operand, add.graph(), OpName.MATMUL);
            Value other = operand == null ? null : GraphPatterns.other(add, operand);
            if (product == null || other == null || other == operand) {
                continue;
            }
            Value x = product.requireInput(0);
            Value weights = product.requireInput(1);
            Tensor matrix = matrix(weights);
            Tensor bias = matrix == null ? null : bias(other, matrix.shape().dim(1), GraphPatterns.rank(x));
            if (matrix != null
                    && bias != null
                    && GraphPatterns.rank(x) >= 2
                    && GraphPatterns.sameElements(x, weights)) {
                Patch.Builder patch = context.patch(add, "MatMul and its bias");
                Value vector = vector(patch, other, bias);
                return patch.replace(
                                add.requireOutput(0),
                                Linear.spec(x, weights, vector).named(product.name()))
                        .build();
            }
        }
        return null;
    }

    static @Nullable Patch fromGemm(Node gemm, PassContext context) {
        Value x = gemm.requireInput(0);
        Value weights = gemm.requireInput(1);
        Value added = gemm.input(2);
        Tensor matrix = matrix(weights);
        boolean plain = gemm.opset() >= 7
                && !gemm.attributes().flag("transA", false)
                && gemm.attributes().real("alpha", 1) == 1
                && (added == null || gemm.attributes().real("beta", 1) == 1);
        if (!plain || matrix == null || !GraphPatterns.isReal(x)) {
            return null;
        }
        boolean turned = gemm.attributes().flag("transB", false);
        Tensor upright = turned ? ConstantTranspose.of(matrix, new int[] {1, 0}) : matrix;
        Tensor bias = added == null || upright == null
                ? null
                : bias(added, upright.shape().dim(1), 2);
        if (upright == null || added != null && bias == null) {
            return null;
        }
        Patch.Builder patch = context.patch(gemm, "a Gemm by constant weights");
        Value right = turned ? patch.constant(weights.name(), context.own(upright)) : weights;
        Value vector = added == null || bias == null ? null : vector(patch, added, bias);
        NodeSpec linear = Linear.spec(x, right, vector).named(gemm.name());
        return patch.replace(gemm.requireOutput(0), linear).build();
    }

    private static Value vector(Patch.Builder patch, Value value, Tensor bias) {
        Tensor constant = value.constant();
        boolean same = constant != null && constant.shape().equals(bias.shape());
        return same ? value : patch.constant(value.name(), bias);
    }

    private static @Nullable Tensor matrix(Value weights) {
        Tensor tensor = weights.constant();
        return tensor != null && tensor.shape().rank() == 2 && GraphPatterns.isReal(weights) ? tensor : null;
    }

    /** The constant as a bias of {@code length}; null where it is more than that against a result of {@code rank}. */
    private static @Nullable Tensor bias(Value value, long length, int rank) {
        Tensor tensor = value.constant();
        if (tensor == null || tensor.shape().rank() > rank || !GraphPatterns.isReal(value)) {
            return null;
        }
        Shape shape = tensor.shape();
        if (tensor.elements() == length && (shape.rank() == 0 || shape.dimAt(-1) == length)) {
            return tensor.reshaped(Shape.of(length));
        }
        return tensor.elements() == 1 ? filled(tensor, length) : null;
    }

    private static Tensor filled(Tensor one, long length) {
        ElementType type = one.type();
        double[] values = new double[Math.toIntExact(length)];
        Arrays.fill(values, one.doubles()[0]);
        return Constants.of(type, values, length);
    }
}
