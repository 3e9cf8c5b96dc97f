package dev.millrace.example.npu;

import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import java.util.Set;

/**
 * An instruction of the NPU.
 *
 * @param inputs the numbers of the registers that it reads
 * @param output the number of the register that it writes
 * @param scales the scales of its operands and its result, where it has such
 * @param zeros their zero points
 */
record NpuInstruction(Code code, List<Integer> inputs, int output, List<Float> scales, List<Integer> zeros) {
    static final Set<ElementType> BYTES = Set.of(ElementType.INT8, ElementType.UINT8);
    static final Set<ElementType> INT = Set.of(ElementType.INT32);
    static final Set<ElementType> FLOAT = Set.of(ElementType.FLOAT);

    /** The operations of the NPU: of its matrix unit, of its converters and of its vector unit. */
    enum Code {
        /** A product of rows of bytes by a matrix of bytes, to 32-bit sums. */
        PRODUCT(2, 0, 2),
        /** A product whose sums are scaled and rounded to bytes. */
        SCALED_PRODUCT(2, 3, 3),
        QUANTISE(1, 1, 1),
        DEQUANTISE(1, 1, 1),
        TO_FLOAT(1, 0, 0),
        ADD(2, 0, 0),
        SUBTRACT(2, 0, 0),
        MULTIPLY(2, 0, 0),
        MAXIMUM(2, 0, 0),
        RELU(1, 0, 0),
        NEGATE(1, 0, 0);

        private final int inputs;
        private final int scales;
        private final int zeros;

        Code(int inputs, int scales, int zeros) {
            this.inputs = inputs;
            this.scales = scales;
            this.zeros = zeros;
        }
    }

    /** Whether it has the operands that its code wants, of the types that it wants. */
    boolean isComplete(List<ElementType> types) {
        Set<ElementType> from = switch (code) {
            case PRODUCT, SCALED_PRODUCT, DEQUANTISE -> BYTES;
            case TO_FLOAT -> INT;
            case QUANTISE, ADD, SUBTRACT, MULTIPLY, MAXIMUM, RELU, NEGATE -> FLOAT;
        };
        Set<ElementType> to = switch (code) {
            case PRODUCT -> INT;
            case SCALED_PRODUCT, QUANTISE -> BYTES;
            case DEQUANTISE, TO_FLOAT, ADD, SUBTRACT, MULTIPLY, MAXIMUM, RELU, NEGATE -> FLOAT;
        };
        return inputs.size() == code.inputs
                && scales.size() == code.scales
                && zeros.size() == code.zeros
                && inputs.stream().allMatch(each -> from.contains(types.get(each)))
                && to.contains(types.get(output));
    }

    NpuInstruction {
        inputs = List.copyOf(inputs);
        scales = List.copyOf(scales);
        zeros = List.copyOf(zeros);
    }
}
