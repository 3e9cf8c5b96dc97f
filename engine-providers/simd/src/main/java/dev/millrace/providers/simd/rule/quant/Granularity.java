package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Tables;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The granularity of quantisation: which elements of a tensor share a scale. The tensor is seen as outer x axis x inner
 * elements, and those at one index of the axis share a scale.
 *
 * @param shape of the scales, where that broadcasts to the tensor; null where blocks share scales
 */
record Granularity(
        long outer, long axis, long inner, @Nullable Shape shape) {
    private static final int SINCE_AXES = 13;

    /** Returns the granularity of a QuantizeLinear or a DequantizeLinear; null where kernels do not support it. */
    static @Nullable Granularity of(LoweringContext op) {
        Shape shape = op.in(0).shape();
        Shape scales = op.in(1).shape();
        long block = op.attributes().integer("block_size", 0);
        if (scales.elements() == 1 && block == 0) {
            return new Granularity(1, 1, shape.elements(), Shape.SCALAR);
        }
        long count = op.opset() < SINCE_AXES ? 0 : op.attributes().integer("axis", 1);
        int axis = Shape.axis(count, shape.rank());
        long extent = shape.dim(axis);
        if (block > 0) {
            boolean even = axis == shape.rank() - 1
                    && scales.rank() == shape.rank()
                    && extent % block == 0
                    && scales.elements() * block == shape.elements();
            return even ? new Granularity(1, scales.elements(), block, null) : null;
        }
        if (scales.rank() != 1 || scales.dim(0) != extent) {
            return null;
        }
        long[] dims = new long[shape.rank() - axis];
        Arrays.fill(dims, 1);
        dims[0] = extent;
        return new Granularity(shape.elements(0, axis), extent, shape.elements(axis + 1, shape.rank()), Shape.of(dims));
    }

    /** Returns scales or zero points in a shape that broadcasts to the tensor. */
    ValueState broadcast(PartitionCompiler lowering, ValueState numbers, ValueState result) {
        Shape wanted = numbers.elements() == 1 ? Shape.SCALAR : shape;
        if (wanted == null) {
            throw new IllegalStateException("scales of blocks do not broadcast");
        }
        if (numbers.shape().equals(wanted) || numbers.elements() == 1 && numbers.known() != null) {
            return numbers;
        }
        ValueState part = lowering.part(result, numbers.type(), wanted);
        lowering.provide(part, Objects.requireNonNull(lowering.dense(numbers).reshaped(wanted)));
        return part;
    }

    /** Returns constant zero points as kernels read them; zeros where there are none. */
    int[] zeros(CompileEnvironment environment, @Nullable Tensor tensor) {
        int[] zeros = new int[Math.toIntExact(axis)];
        if (tensor != null) {
            int[] numbers = Tables.intsOf(environment, tensor);
            Arrays.setAll(zeros, i -> numbers[numbers.length == 1 ? 0 : i]);
        }
        return zeros;
    }

    /** Returns the kernels' type of quantised elements, or null where they do not support it. */
    static @Nullable QuantisedType typeOf(ElementType type) {
        return switch (type) {
            case UINT8 -> QuantisedType.U8;
            case INT8 -> QuantisedType.S8;
            case UINT16 -> QuantisedType.U16;
            case INT16 -> QuantisedType.S16;
            case UINT4 -> QuantisedType.U4;
            case INT4 -> QuantisedType.S4;
            default -> null;
        };
    }
}
