package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderProfiler;
import dev.millrace.scheduler.event.DeviceActivity;
import dev.millrace.scheduler.event.RunListener;
import java.util.ArrayList;
import java.util.List;

/**
 * The profilers of a model's providers during one run, whose events a listener of the run receives. A profiler that fails is
 * logged and left out: no run fails for its trace.
 */
final class DeviceProfile {
    private static final System.Logger LOG = System.getLogger(DeviceProfile.class.getName());

    private record Started(String provider, ProviderProfiler profiler) {}

    private final List<ExecutionProvider> providers;
    private final RunListener listener;
    private final List<Started> started = new ArrayList<>();

    DeviceProfile(List<ExecutionProvider> providers, RunListener listener) {
        this.providers = providers;
        this.listener = listener;
    }

    void start() {
        for (ExecutionProvider provider : providers) {
            guarded(provider.name(), () -> {
                ProviderProfiler profiler = provider.createProfiler();
                if (profiler != null) {
                    started.add(new Started(provider.name(), profiler));
                    profiler.start(System.nanoTime());
                }
            });
        }
    }

    /** Stops all profilers and passes on what they report. */
    void stop() {
        for (Started each : started) {
            guarded(each.provider(), () -> {
                try (ProviderProfiler profiler = each.profiler()) {
                    for (DeviceActivity activity : profiler.stop()) {
                        listener.deviceActivity(each.provider(), activity);
                    }
                }
            });
        }
        started.clear();
    }

    private static void guarded(String provider, Runnable call) {
        try {
            ProviderGuard.run(provider, call);
        } catch (EngineException e) {
            LOG.log(System.Logger.Level.WARNING, "a run is not profiled whole: " + e.getMessage());
        }
    }
}
