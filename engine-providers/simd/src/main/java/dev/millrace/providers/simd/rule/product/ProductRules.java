package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Functions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Products of fp32 matrices. */
public final class ProductRules {
    private ProductRules() {}

    /**
     * The rule of an operator, or null where there is none.
     *
     * @param dequantised lowers a product whose operands come out of DequantizeLinear
     */
    public static @Nullable Rule named(String name, Rule dequantised) {
        return switch (name) {
            case OpName.MATMUL -> op -> matMul(op, dequantised);
            case OpName.GEMM -> op -> gemm(op, dequantised);
            case OpName.LINEAR -> ProductRules::linear;
            default -> null;
        };
    }

    private static boolean areFloat(LoweringContext op) {
        for (int i = 0; i < op.inputs(); i++) {
            if (op.has(i) && !op.in(i).isFloat()) {
                return false;
            }
        }
        return true;
    }

    private static boolean matMul(LoweringContext op, Rule dequantised) {
        if (op.in(0).shape().rank() < 1 || op.in(1).shape().rank() < 1) {
            return false;
        }
        if (WeightRules.halves(op)) {
            return true;
        }
        if (!areFloat(op)) {
            return false;
        }
        if (dequantised.lower(op)) {
            return true;
        }
        ProductRoot root = ProductRoot.of(op, false, false);
        if (root == null) {
            return false;
        }
        op.lowering().defer(op.out(), root);
        return true;
    }

    private static boolean gemm(LoweringContext op, Rule dequantised) {
        if (!areFloat(op) || op.opset() < 7) {
            return false;
        }
        if (dequantised.lower(op)) {
            return true;
        }
        boolean transA = op.attributes().flag("transA", false);
        boolean transB = op.attributes().flag("transB", false);
        float alpha = op.attributes().real("alpha", 1);
        float beta = op.attributes().real("beta", 1);
        PartitionCompiler lowering = op.lowering();
        ProductRoot root = ProductRoot.of(op, transA, transB);
        if (root == null) {
            return false;
        }
        if (!op.has(2) && alpha == 1) {
            lowering.defer(op.out(), root);
            return true;
        }
        ValueState product = lowering.part(op.out(), ElementType.FLOAT, op.out().shape());
        lowering.defer(product, root);
        var operands = new ArrayList<ValueState>(List.of(product));
        if (op.has(2)) {
            operands.add(op.in(2));
        }
        lowering.defer(op.out(), operands, v -> {
            Expr sum = alpha == 1 ? v.getFirst() : v.getFirst().times(Expr.number(alpha));
            if (v.size() == 1) {
                return sum;
            }
            return sum.plus(beta == 1 ? v.get(1) : v.get(1).times(Expr.number(beta)));
        });
        return true;
    }

    /** A product with a bias, a residual and an activation. */
    private static boolean linear(LoweringContext op) {
        String name = op.attributes().text("activation", "");
        UnaryOperator<Expr> activation = name.isEmpty() ? UnaryOperator.identity() : Functions.activation(name);
        if (!areFloat(op) || StoredFloats.of(op, 1) == null || activation == null) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        ProductRoot root = ProductRoot.of(op, false, false);
        if (root == null) {
            return false;
        }
        ValueState product = lowering.part(op.out(), ElementType.FLOAT, op.out().shape());
        lowering.defer(product, root);
        var operands = new ArrayList<ValueState>(List.of(product));
        for (int i = 2; i < 4; i++) {
            if (op.has(i)) {
                operands.add(op.in(i));
            }
        }
        lowering.defer(op.out(), operands, v -> {
            Expr sum = v.getFirst();
            for (Expr operand : v.subList(1, v.size())) {
                sum = sum.plus(operand);
            }
            return activation.apply(sum);
        });
        return true;
    }
}
