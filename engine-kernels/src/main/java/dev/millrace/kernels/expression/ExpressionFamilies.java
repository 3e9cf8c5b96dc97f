package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of expressions. */
public final class ExpressionFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ElementwiseFamily.NAME -> new ElementwiseFamily();
            case WideRows.NAME -> new WideRows();
            default -> null;
        };
    }
}
