package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import dev.millrace.providers.simd.rule.common.Tables;
import org.jspecify.annotations.Nullable;

/**
 * A float operand that a DequantizeLinear with constant scales computes from bytes.
 *
 * @param zero the cell of the zero points, which are constant; null where all are 0
 * @param axis the axis that scales belong to, where there are several
 */
record Dequantised(
        ValueState bytes, float[] scales, @Nullable ValueState zero, int axis) {
    /** Returns the bytes and scales that an input of a node is computed from; null where it is no such operand. */
    static @Nullable Dequantised of(LoweringContext op, int input) {
        LoweringContext widening = op.has(input) ? op.producer(input) : null;
        if (widening == null
                || !widening.name().equals(OpName.DEQUANTIZE_LINEAR)
                || !widening.out().isFloat()) {
            return null;
        }
        ValueState bytes = widening.in(0);
        Tensor scales = widening.in(1).known();
        ValueState zero = widening.find(2);
        boolean fits = scales != null
                && ByteWeights.areBytes(bytes.type())
                && scales.shape().rank() <= 1
                && widening.in(1).isFloat()
                && widening.attributes().integer("block_size", 0) == 0
                && (zero == null || zero.known() != null);
        if (scales == null || !fits) {
            return null;
        }
        float[] numbers = Tables.floatsOf(op.environment(), scales);
        if (!ScaledSums.areDivisors(numbers)) {
            return null;
        }
        long axis = widening.attributes().integer("axis", 1);
        int at = scales.elements() == 1 ? 0 : Shape.axis(axis, bytes.shape().rank());
        return new Dequantised(bytes, numbers, zero, at);
    }

    boolean hasOneScale() {
        return scales.length == 1 && (zero == null || zero.elements() == 1);
    }

    /**
     * Returns the bytes as weights, whose scales are per column where there are several; null where they are not
     * constant.
     */
    @Nullable
    ByteWeights weights(LoweringContext op, int columnAxis) {
        Tensor constant = bytes.known();
        boolean fits = hasOneScale() || axis == columnAxis;
        return constant != null && fits
                ? new ByteWeights(op.environment(), constant, zero == null ? null : zero.known())
                : null;
    }
}
