package dev.millrace.session.build;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.providers.spi.WeightlessMode;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What decides how a model is built, whatever becomes of it.
 *
 * @param providers who may take part, the first who claims a node gets it; empty for all there are
 * @param optimiser which passes run
 * @param threads how many threads one run may use
 * @param epContext whether what is compiled is kept, and where the context of a model from memory lies
 * @param disableModelCompile refuses to compile: only what was compiled before, and single kernels
 * @param disableCpuFallback refuses to leave nodes to the plain provider
 * @param failOnSuboptimalModel refuses a compiled model that would be faster compiled again
 * @param strict refuses a model for what otherwise is a note
 * @param externalDataFolder where the source of a context model has its external data; null for beside it
 * @param fileUse whether context binaries are read, or mapped
 * @param cancelled whether it is to stop
 */
public record BuildOptions(
        List<ProviderRequest> providers,
        Optimiser.Options optimiser,
        int threads,
        EpContextOptions epContext,
        boolean disableModelCompile,
        boolean disableCpuFallback,
        boolean failOnSuboptimalModel,
        boolean strict,
        @Nullable Path externalDataFolder,
        FileUse fileUse,
        BooleanSupplier cancelled) {

    public BuildOptions {
        providers = List.copyOf(providers);
    }

    /** Which weights are left to the source of what is written; none where nothing is. */
    WeightlessMode weightless() {
        return epContext.enable() ? epContext.weightless() : WeightlessMode.NONE;
    }

    /** Throws where it was stopped, and says what was. */
    public void checkCancelled(String what) {
        if (cancelled.getAsBoolean()) {
            throw new EngineException(Status.MODEL_LOAD_CANCELED, what + " was cancelled");
        }
    }
}
