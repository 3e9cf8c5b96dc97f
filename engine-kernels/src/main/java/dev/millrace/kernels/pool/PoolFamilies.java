package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of windows. */
public final class PoolFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case WindowTile.NAME -> new WindowTile();
            case PlainWindow.NAME -> new PlainWindow();
            default -> null;
        };
    }
}
