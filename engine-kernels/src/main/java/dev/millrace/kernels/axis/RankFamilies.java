package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamilies;
import dev.millrace.codegen.key.KernelFamily;
import org.jspecify.annotations.Nullable;

/** The families of arg-max, top-k and running sums. */
public final class RankFamilies implements KernelFamilies {
    @Override
    public @Nullable KernelFamily named(String name) {
        return switch (name) {
            case BestOfColumns.NAME -> new BestOfColumns();
            case SumsOfColumns.NAME -> new SumsOfColumns();
            case SortKeys.NAME -> new SortKeys();
            case PickBest.NAME -> new PickBest();
            case BestOfRow.NAME -> new BestOfRow();
            case SumsOfRow.NAME -> new SumsOfRow();
            default -> null;
        };
    }
}
