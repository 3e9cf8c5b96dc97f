package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.session.DevicePolicy;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.prepare.BuildOptions;
import dev.millrace.session.prepare.ProviderRequest;
import dev.millrace.session.prepare.ProviderSelection;
import java.util.function.BooleanSupplier;

/** Translation of a session's options to those that decide how its model is built. */
final class BuildSettings {
    private BuildSettings() {}

    /** Returns the providers of a session; throws where it both names some and has a policy. */
    static ProviderSelection selection(SessionOptions options) {
        DevicePolicy policy = options.devicePolicy();
        if (policy != null && !options.providers().isEmpty()) {
            throw EngineException.invalidArgument(
                    "devicePolicy chooses where no provider is named, and the session names "
                            + options.providers().stream()
                                    .map(ProviderChoice::name)
                                    .toList());
        }
        return new ProviderSelection(
                options.providers().stream()
                        .map(choice -> new ProviderRequest(choice.name(), choice.options(), choice.devices()))
                        .toList(),
                policy == null ? null : policy::choose);
    }

    static BuildOptions of(SessionOptions options, int engineThreads) {
        return of(options, engineThreads, options.cancellation()::isCancelled);
    }

    static BuildOptions of(SessionOptions options, int engineThreads, BooleanSupplier cancelled) {
        return new BuildOptions(
                selection(options),
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
