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
 * The configuration of an engine. An immutable snapshot; {@link #builder()} makes one.
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
 * @param deviceMemory the bytes that all sessions may hold together of one kind of memory of one device; a session or a
 *     run for which there is no room, even after idle memory was given back, fails. {@link Long#MAX_VALUE} for no limit
 *     but the device's
 * @param providers factories in addition to those which {@link java.util.ServiceLoader} finds; the engine closes them
 */
public record EngineOptions(
        int threads,
        @Nullable ContextCache contextCache,
        List<HardwareDevice> virtualDevices,
        @Nullable RequestListener requestListener,
        long memoryBudget,
        long deviceMemory,
        List<ProviderFactory> providers) {
    private static final EngineOptions DEFAULTS = builder().build();

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
        if (deviceMemory <= 0) {
            throw EngineException.invalidArgument(
                    "a limit of " + deviceMemory + " bytes of device memory leaves room for nothing");
        }
    }

    public static EngineOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .threads(threads)
                .contextCache(contextCache)
                .virtualDevices(virtualDevices)
                .requestListener(requestListener)
                .memoryBudget(memoryBudget)
                .deviceMemory(deviceMemory)
                .providers(providers);
    }

    /** The hardware that providers are offered: that of the machine and the virtual devices. */
    public List<HardwareDevice> hardware() {
        var all = new ArrayList<>(HardwareDevice.ofThisMachine());
        all.addAll(virtualDevices);
        return all;
    }

    /** Returns the number of worker threads: that of the options, or one per processor. */
    public int effectiveThreads() {
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }

    /** A builder of engine options. Every option has a default. */
    public static final class Builder {
        private int threads;
        private @Nullable ContextCache contextCache;
        private List<HardwareDevice> virtualDevices = List.of();
        private @Nullable RequestListener requestListener;
        private long memoryBudget = Long.MAX_VALUE;
        private long deviceMemory = Long.MAX_VALUE;
        private List<ProviderFactory> providers = List.of();

        private Builder() {}

        public Builder threads(int value) {
            threads = value;
            return this;
        }

        public Builder contextCache(@Nullable ContextCache value) {
            contextCache = value;
            return this;
        }

        /** Sets virtual devices: providers are offered them in addition to the hardware that is present. */
        public Builder virtualDevices(List<HardwareDevice> value) {
            virtualDevices = value;
            return this;
        }

        /** Sets a listener to the requests of all sessions, for meters, traces or logs. */
        public Builder requestListener(@Nullable RequestListener value) {
            requestListener = value;
            return this;
        }

        /** Sets a limit, in bytes, for the memory of all sessions together. */
        public Builder memoryBudget(long bytes) {
            memoryBudget = bytes;
            return this;
        }

        /** Sets a limit, in bytes, for each kind of memory of each device, for all sessions together. */
        public Builder deviceMemory(long bytes) {
            deviceMemory = bytes;
            return this;
        }

        /** Sets factories that need not be on the class path. Each serves one engine, which closes it. */
        public Builder providers(List<ProviderFactory> value) {
            providers = value;
            return this;
        }

        public EngineOptions build() {
            return new EngineOptions(
                    threads, contextCache, virtualDevices, requestListener, memoryBudget, deviceMemory, providers);
        }
    }
}
