package dev.millrace.providers.simd.lower;

import dev.millrace.kernels.expression.Expr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A product or a convolution that waits for what follows it. Expressions read its result as input 0 and further operands
 * as the inputs behind that.
 */
public non-sealed interface FusionRoot extends DeferredValue {
    /** How many operands an expression behind it can have. */
    int mostOperands();

    /** Whether an operand of this shape can be read where the result, of this shape, is written. */
    boolean takes(ValueState operand, ValueState result);

    /** Whether it reads what an operand is the product of, rather than the operand. */
    default boolean takesFactorsOf(ValueState operand) {
        return false;
    }

    /**
     * Adds the steps that compute the result.
     *
     * @param after what follows, or null where nothing does
     * @return false if it cannot be done with what follows; nothing was added then
     */
    boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands);
}
