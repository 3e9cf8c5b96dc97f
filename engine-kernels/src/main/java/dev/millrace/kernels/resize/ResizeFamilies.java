package dev.millrace.kernels.resize;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of resizing. */
public final class ResizeFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case BlendElements.NAME -> new BlendElements();
            case RepeatElements.NAME -> new RepeatElements();
            case BlendRows.NAME -> new BlendRows();
            default -> null;
        };
    }
}
