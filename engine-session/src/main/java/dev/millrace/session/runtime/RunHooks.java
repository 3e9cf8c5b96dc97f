package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells providers of a run: each that has heard of its start hears of its end, whatever goes wrong. */
final class RunHooks {
    private RunHooks() {}

    /** Tells of a start; where a provider throws, those before it are told of the end. */
    static void start(List<ExecutionProvider> providers) {
        for (int i = 0; i < providers.size(); i++) {
            EngineException failure = told(providers.get(i), ExecutionProvider::onRunStart);
            if (failure != null) {
                endAfter(failure, providers.subList(0, i));
                throw failure;
            }
        }
    }

    /** Tells of a good end; the first that throws is heard when all were told. */
    static void end(List<ExecutionProvider> providers) {
        EngineException first = null;
        for (ExecutionProvider provider : providers) {
            EngineException failure = told(provider, ExecutionProvider::onRunEnd);
            if (first == null) {
                first = failure;
            } else if (failure != null) {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Tells of an end that is bad already. */
    static void endAfter(Throwable reason, List<ExecutionProvider> providers) {
        for (ExecutionProvider provider : providers) {
            EngineException failure = told(provider, ExecutionProvider::onRunEnd);
            if (failure != null) {
                reason.addSuppressed(failure);
            }
        }
    }

    private static @Nullable EngineException told(ExecutionProvider provider, Consumer<ExecutionProvider> hook) {
        try {
            hook.accept(provider);
            return null;
        } catch (RuntimeException | LinkageError e) {
            return ProviderGuard.named(provider.name(), e);
        }
    }
}
