package dev.millrace.session.runtime;

import dev.millrace.session.SessionOptions;
import dev.millrace.session.prepare.BuildOptions;
import dev.millrace.session.prepare.ProviderRequest;
import java.util.function.BooleanSupplier;

/** Translation of a session's options to those that decide how its model is built. */
final class BuildSettings {
    private BuildSettings() {}

    static BuildOptions of(SessionOptions options, int engineThreads) {
        return of(options, engineThreads, options.cancellation()::isCancelled);
    }

    static BuildOptions of(SessionOptions options, int engineThreads, BooleanSupplier cancelled) {
        return new BuildOptions(
                options.providers().stream()
                        .map(choice -> new ProviderRequest(choice.name(), choice.options()))
                        .toList(),
                options.optimiser(),
                options.threads() == 0 ? engineThreads : options.threads(),
                options.epContext(),
                options.disableModelCompile(),
                options.disableCpuFallback(),
                options.failOnSuboptimalModel(),
                options.strict(),
                options.externalDataFolder(),
                options.fileUse(),
                cancelled);
    }
}
