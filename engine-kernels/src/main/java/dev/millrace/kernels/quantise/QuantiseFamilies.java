package dev.millrace.kernels.quantise;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of quantisation. */
public final class QuantiseFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case DequantiseRows.NAME -> new DequantiseRows();
            case QuantiseRows.NAME -> new QuantiseRows();
            case RangeOf.NAME -> new RangeOf();
            case RangeScale.NAME -> new RangeScale();
            default -> null;
        };
    }
}
