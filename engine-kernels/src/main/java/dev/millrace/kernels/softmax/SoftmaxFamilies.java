package dev.millrace.kernels.softmax;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of softmax. */
public final class SoftmaxFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case SoftmaxColumns.NAME -> new SoftmaxColumns();
            case SoftmaxRows.NAME -> new SoftmaxRows();
            default -> null;
        };
    }
}
