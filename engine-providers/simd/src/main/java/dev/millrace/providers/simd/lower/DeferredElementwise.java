package dev.millrace.providers.simd.lower;

import java.util.List;

/** An expression of other values, element by element. */
record DeferredElementwise(Formula formula, List<ValueState> operands) implements DeferredValue {
    DeferredElementwise {
        operands = List.copyOf(operands);
    }
}
