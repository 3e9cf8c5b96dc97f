package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.RunHook;
import dev.millrace.providers.spi.RunInfo;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.RunOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a model's providers around runs: each provider that was called at a run's start is called at its end, whatever
 * goes wrong.
 */
final class RunHooks {
    private static final AtomicLong RUNS = new AtomicLong();

    private record Hook(String provider, RunHook calls) {}

    private final List<ExecutionProvider> providers;
    private final List<Hook> hooks;
    private final Run silent = new Run(null, null);

    private RunHooks(List<ExecutionProvider> providers, List<Hook> hooks) {
        this.providers = providers;
        this.hooks = List.copyOf(hooks);
    }

    /** Asks providers for their calls. */
    static RunHooks of(List<ExecutionProvider> providers) {
        var hooks = new ArrayList<Hook>();
        for (ExecutionProvider provider : providers) {
            RunHook hook = ProviderGuard.call(provider.name(), provider::runHook);
            if (hook != null) {
                hooks.add(new Hook(provider.name(), hook));
            }
        }
        return new RunHooks(providers, hooks);
    }

    /**
     * Returns the calls around a new run.
     *
     * @param listener the listeners of the run, which may want to hear of devices; null for none
     */
    Run around(String session, RunOptions options, @Nullable RunListener listener) {
        DeviceProfile profile =
                listener != null && listener.hearsDevices() ? new DeviceProfile(providers, listener) : null;
        if (hooks.isEmpty() && profile == null) {
            return silent;
        }
        boolean synchronise = options.onDevice().isEmpty();
        return new Run(
                new RunInfo(RUNS.incrementAndGet(), session, options.tag(), options.config(), synchronise), profile);
    }

    /** The calls around one run. */
    final class Run {
        private final @Nullable RunInfo info;
        private final @Nullable DeviceProfile profile;

        private Run(@Nullable RunInfo info, @Nullable DeviceProfile profile) {
            this.info = info;
            this.profile = profile;
        }

        /** Reports the start; where a provider throws, the end is reported to those before it. */
        void start() {
            if (info == null) {
                return;
            }
            for (int i = 0; i < hooks.size(); i++) {
                EngineException failure = called(hooks.get(i), RunHook::onRunStart, info);
                if (failure != null) {
                    endAfter(failure, hooks.subList(0, i), info);
                    throw failure;
                }
            }
            if (profile != null) {
                profile.start();
            }
        }

        /** Reports the end of a run that succeeded to all providers, and then throws the first failure among them. */
        void end() {
            if (info == null) {
                return;
            }
            if (profile != null) {
                profile.stop();
            }
            EngineException first = null;
            for (Hook hook : hooks) {
                EngineException failure = called(hook, RunHook::onRunEnd, info);
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

        /** Reports the end of a run that failed. */
        void endAfter(Throwable reason) {
            if (info != null) {
                if (profile != null) {
                    profile.stop();
                }
                endAfter(reason, hooks, info);
            }
        }

        private static void endAfter(Throwable reason, List<Hook> hooks, RunInfo info) {
            for (Hook hook : hooks) {
                EngineException failure = called(hook, RunHook::onRunEnd, info);
                if (failure != null) {
                    reason.addSuppressed(failure);
                }
            }
        }

        private static @Nullable EngineException called(Hook hook, BiConsumer<RunHook, RunInfo> call, RunInfo info) {
            try {
                call.accept(hook.calls(), info);
                return null;
            } catch (RuntimeException | LinkageError e) {
                return ProviderGuard.named(hook.provider(), e);
            }
        }
    }
}
