package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of attention. */
public final class AttentionFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case RowDots.NAME -> new RowDots();
            case FinishRows.NAME -> new FinishRows();
            case KeyPack.NAME -> new KeyPack();
            case ScoreMaxima.NAME -> new ScoreMaxima();
            case RotaryEmbeddingKernel.NAME -> new RotaryEmbeddingKernel();
            case WeightedRows.NAME -> new WeightedRows();
            case StateColumns.NAME -> new StateColumns();
            case ScoreWeights.NAME -> new ScoreWeights();
            default -> null;
        };
    }
}
