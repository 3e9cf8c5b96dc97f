package dev.millrace.providers.simd;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Arithmetic on elements that broadcast together: steps over numbered registers, each a block of elements. The last
 * step's target is the result.
 *
 * @param operands what {@link Op#LOAD} reads, by number
 * @param registers how many registers the steps use
 */
record Expression(List<Source> operands, List<Step> steps, int registers) {
    /** As many arrays as a thread's scratch has. */
    static final int MOST_REGISTERS = 8;

    /** Elements per register. */
    static final int BLOCK = 512;

    Expression {
        operands = List.copyOf(operands);
        steps = List.copyOf(steps);
    }

    /** One operation; the target is none of the registers that it reads. */
    record Step(Op op, int target, int a, int b, float p, float q) {}

    /** The same steps on other operands. */
    Expression reading(UnaryOperator<Source> change) {
        return new Expression(operands.stream().map(change).toList(), steps, registers);
    }

    int result() {
        return steps.getLast().target();
    }
}
