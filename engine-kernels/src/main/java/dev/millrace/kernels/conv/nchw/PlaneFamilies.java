package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of windows over plain images. */
public final class PlaneFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case PlaneTile.NAME -> new PlaneTile();
            case PlaneRows.NAME -> new PlaneRows();
            default -> null;
        };
    }
}
