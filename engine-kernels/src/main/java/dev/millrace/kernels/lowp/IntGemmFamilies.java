package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of products of bytes and of stored weights. */
public final class IntGemmFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case IntegerTile.NAME -> new IntegerTile();
            case PackRows.NAME -> new PackRows();
            case PackQuads.NAME -> new PackQuads();
            case ColumnTerms.NAME -> new ColumnTerms();
            case OverflowSplitKernel.NAME -> new OverflowSplitKernel();
            case DecodePanel.NAME -> new DecodePanel();
            case WeightRow.NAME -> new WeightRow();
            case RoundRow.NAME -> new RoundRow();
            default -> null;
        };
    }
}
