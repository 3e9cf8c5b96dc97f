package dev.millrace.kernels.cast;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of casts. */
public final class CastFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case ConvertFamily.NAME -> new ConvertFamily();
            default -> null;
        };
    }
}
