package dev.millrace.epcontext;

import dev.millrace.graph.ir.Model;
import dev.millrace.providers.spi.WeightlessMode;
import org.jspecify.annotations.Nullable;

/** The metadata of weightless context models, whose weights are left to their source. */
public final class Weightless {
    /** The metadata entry of a context model whose binaries name weights. */
    static final String MODE = "weightless_mode";

    private Weightless() {}

    /** Returns which weights a context model leaves to its source. */
    public static WeightlessMode modeOf(Model model) {
        String code = model.metadata().getOrDefault(MODE, "");
        for (WeightlessMode mode : WeightlessMode.values()) {
            if (mode.code().equals(code)) {
                return mode;
            }
        }
        return WeightlessMode.NONE;
    }

    /**
     * Returns a warning for a model that is loaded without options that name its source; null if
     * there is no need for one.
     *
     * @param namesSource whether the options name the model's source
     */
    public static @Nullable String warning(Model model, boolean namesSource) {
        return !namesSource && modeOf(model) == WeightlessMode.ALL
                ? "the weights of this model stand in its source, which is looked for beside it: neither"
                        + " ep.context_source_model_path (EpContextOptions.sourceModel) nor its bytes"
                        + " (EpContextOptions.sourceBytes) are given"
                : null;
    }
}
