package dev.millrace.session.prepare;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.providers.spi.WeightlessMode;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The options that decide how a model is built, whether it is run or written afterwards.
 *
 * @param providers the providers that may take part, of which the first that claims a node gets
 *     it; empty for all that there are
 * @param optimiser the options of the optimiser
 * @param threads the number of threads that one run may use
 * @param epContext whether compiled parts are kept, and where the context of a model from memory is stored
 * @param disableModelCompile refuses to compile: only parts that were compiled before, and single kernels
 * @param disableCpuFallback refuses to leave nodes to the provider {@code cpu}
 * @param failOnSuboptimalModel refuses a compiled model that would be faster compiled again
 * @param strict refuses a model for a fault that otherwise is a note
 * @param externalDataFolder the folder of the external data of a context model's source; null
 *     for the source's own folder
 * @param fileUse whether context binaries are read or mapped
 * @param cancelled whether the build is to stop
 */
public record BuildOptions(
        ProviderSelection providers,
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

    /** Returns which weights the context model leaves to its source; none if no context model is written. */
    WeightlessMode weightless() {
        return epContext.enable() ? epContext.weightless() : WeightlessMode.NONE;
    }

    /** Throws if the build was cancelled. */
    public void checkCancelled(String what) {
        if (cancelled.getAsBoolean()) {
            throw new EngineException(Status.MODEL_LOAD_CANCELED, what + " was cancelled");
        }
    }
}
