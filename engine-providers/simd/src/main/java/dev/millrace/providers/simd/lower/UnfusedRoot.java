package dev.millrace.providers.simd.lower;

import dev.millrace.kernels.expression.Expr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A value that waits for a consumer that needs it in memory; it is not fused with what follows. */
public interface UnfusedRoot extends FusionRoot {
    @Override
    default int mostOperands() {
        return 0;
    }

    @Override
    default boolean takes(ValueState operand, ValueState result) {
        return false;
    }

    @Override
    default boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (after != null) {
            return false;
        }
        emit(result);
        return true;
    }

    /** Adds the steps that compute the result. */
    void emit(ValueState result);
}
