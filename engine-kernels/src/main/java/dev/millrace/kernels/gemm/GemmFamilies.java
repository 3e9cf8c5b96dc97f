package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of fp32 and bfloat16 products. */
public final class GemmFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case PairTile.NAME -> new PairTile();
            case GemmTile.NAME -> new GemmTile();
            case GemmPack.NAME -> new GemmPack();
            case GemmPackTransposed.NAME -> new GemmPackTransposed();
            default -> null;
        };
    }
}
