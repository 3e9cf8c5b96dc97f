package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import org.jspecify.annotations.Nullable;

/** Products of matrices of bytes by constant weights. */
final class QuantisedProductRules {
    private QuantisedProductRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "MatMulInteger" -> QuantisedProductRules::matMulInteger;
            default -> null;
        };
    }

    private static boolean matMulInteger(Op op) {
        Tensor weights = op.in(1).known();
        Cell zero = op.find(3);
        if (weights == null || zero != null && zero.known() == null) {
            return false;
        }
        var bytes = new ByteWeights(op.kit(), weights, zero == null ? null : zero.known());
        IntegerProductAnchor anchor =
                IntegerProductAnchor.of(op.lowering(), op.in(0), op.find(2), bytes, op.out().shape());
        if (anchor == null) {
            return false;
        }
        op.lowering().pend(op.out(), anchor);
        return true;
    }
}
