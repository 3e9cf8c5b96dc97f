package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of copies and transposes. */
public final class LayoutFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case RunFill.NAME -> new RunFill();
            case PixelTranspose.NAME -> new PixelTranspose();
            case RunCopy.NAME -> new RunCopy();
            case SquareTranspose.NAME -> new SquareTranspose();
            default -> null;
        };
    }
}
