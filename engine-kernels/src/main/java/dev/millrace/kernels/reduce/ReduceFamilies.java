package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of reductions. */
public final class ReduceFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ReduceColumns.NAME -> new ReduceColumns();
            case ReduceExpression.NAME -> new ReduceExpression();
            case ReduceFinish.NAME -> new ReduceFinish();
            case ReduceRows.NAME -> new ReduceRows();
            default -> null;
        };
    }
}
