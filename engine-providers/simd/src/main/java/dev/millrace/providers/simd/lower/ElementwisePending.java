package dev.millrace.providers.simd.lower;

import java.util.List;

/** An expression of other values, element by element. */
record ElementwisePending(Formula formula, List<Cell> operands) implements Pending {
    ElementwisePending {
        operands = List.copyOf(operands);
    }
}
