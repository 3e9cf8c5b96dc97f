package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of convolutions of bytes. */
public final class ByteConvFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case DepthwiseTile.NAME -> new DepthwiseTile();
            default -> null;
        };
    }
}
