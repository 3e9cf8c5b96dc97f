package dev.millrace.session;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an engine.
 *
 * @param threads the number of threads that can work on one run, the caller's included; 0 for as
 *     many as the container allows
 * @param contextCache the cache in which sessions of model files find earlier compilations and
 *     store new ones; null for none
 * @param virtualDevices hardware that is not present, for which models are to be compiled all the same
 * @param requestListener a listener to the requests of all sessions, or null
 * @param memoryBudget the bytes of weights and of intermediate values that the models of all sessions may hold
 *     together; a session or a run for which there is no room, even after idle memory was given back, is refused with
 *     BUDGET_EXCEEDED. {@link Long#MAX_VALUE} for no limit but the JVM's
 * @param providers factories in addition to those which {@link java.util.ServiceLoader} finds; the engine closes them
 */
public record EngineOptions(
        int threads,
        @Nullable ContextCache contextCache,
        List<HardwareDevice> virtualDevices,
        @Nullable RequestListener requestListener,
        long memoryBudget,
        List<ProviderFactory> providers) {
    public EngineOptions {
        virtualDevices = Failures.all(virtualDevices, "virtualDevices");
        providers = Failures.all(providers, "providers");
        if (threads < 0 || threads > 1024) {
            throw EngineException.invalidArgument("threads is " + threads + "; it goes from 0 (automatic) to 1024");
        }
        if (memoryBudget <= 0) {
            throw EngineException.invalidArgument(
                    "a memory budget of " + memoryBudget + " bytes leaves room for nothing");
        }
    }

    public static EngineOptions defaults() {
        return new EngineOptions(0, null, List.of(), null, Long.MAX_VALUE, List.of());
    }

    public EngineOptions withThreads(int newThreads) {
        return new EngineOptions(newThreads, contextCache, virtualDevices, requestListener, memoryBudget, providers);
    }

    public EngineOptions withContextCache(@Nullable ContextCache newCache) {
        return new EngineOptions(threads, newCache, virtualDevices, requestListener, memoryBudget, providers);
    }

    /**
     * Returns these options with virtual devices: providers are offered them in addition to the
     * hardware that is present.
     */
    public EngineOptions withVirtualDevices(List<HardwareDevice> devices) {
        return new EngineOptions(threads, contextCache, devices, requestListener, memoryBudget, providers);
    }

    /** Returns these options with a listener to the requests of all sessions, for meters, traces or logs. */
    public EngineOptions withRequestListener(@Nullable RequestListener listener) {
        return new EngineOptions(threads, contextCache, virtualDevices, listener, memoryBudget, providers);
    }

    /** Returns these options with a limit, in bytes, for the memory of all sessions together. */
    public EngineOptions withMemoryBudget(long bytes) {
        return new EngineOptions(threads, contextCache, virtualDevices, requestListener, bytes, providers);
    }

    /**
     * Returns these options with factories that need not be on the class path. Each serves one engine, which closes it.
     */
    public EngineOptions withProviders(List<ProviderFactory> more) {
        return new EngineOptions(threads, contextCache, virtualDevices, requestListener, memoryBudget, more);
    }

    /** The hardware that providers are offered: the host's CPU and the virtual devices. */
    public List<HardwareDevice> hardware() {
        var all = new ArrayList<HardwareDevice>();
        all.add(HardwareDevice.hostCpu());
        all.addAll(virtualDevices);
        return all;
    }

    /** Returns the number of worker threads: that of the options, or one per processor. */
    public int effectiveThreads() {
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
}
