package dev.millrace.epcontext;

import dev.millrace.graph.ir.Model;
import dev.millrace.providers.spi.WeightlessMode;
import org.jspecify.annotations.Nullable;

/** What context models say of weights that are left to their source. */
public final class Weightless {
    /** The metadata entry of a context model whose binaries name weights. */
    static final String MODE = "weightless_mode";

    private Weightless() {}

    /** Which weights a context model leaves to its source. */
    public static WeightlessMode modeOf(Model model) {
        String code = model.metadata().getOrDefault(MODE, "");
        for (WeightlessMode mode : WeightlessMode.values()) {
            if (mode.code().equals(code)) {
                return mode;
            }
        }
        return WeightlessMode.NONE;
    }

    /** What to tell of a model that is loaded without a word on where its source is; null where there is nothing. */
    public static @Nullable String warning(Model model, EpContextOptions options) {
        boolean silent = options.sourceModel() == null && options.sourceBytes() == null;
        return silent && modeOf(model) == WeightlessMode.ALL
                ? "the weights of this model stand in its source, which is looked for beside it: neither"
                        + " ep.context_source_model_path (EpContextOptions.sourceModel) nor its bytes"
                        + " (EpContextOptions.sourceBytes) are given"
                : null;
    }
}
