package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.OpId;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.MemoryDevice;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A provider in one session. It claims nodes, compiles what it claimed or brings kernels for it, or both. What it leaves
 * alone is true of the default methods: they say what "not implemented" means.
 */
public interface ExecutionProvider extends AutoCloseable {
    String name();

    /** The device that its steps run on. */
    default Device device() {
        return Device.CPU;
    }

    /**
     * Claims nodes of a graph. Graphs nested in it are asked about afterwards, each on its own, unless a provider has
     * fused the node that they belong to.
     */
    void claim(Graph graph, CapabilitySink sink);

    /**
     * Compiles partitions, in one call for all of a graph. The graphs are the provider's to read during the call only.
     *
     * @return one kernel for each partition, in order
     */
    default List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        throw new EngineException(Status.EP_FAIL, "provider '" + name() + "' fuses nodes but does not compile");
    }

    /**
     * Frees kernels that {@link #compile} returned. Each is released once: before the provider is asked again with other
     * partitions, where it could not compile all of them, and otherwise before the provider is closed.
     */
    default void release(List<Kernel> kernels) {}

    /** The kernels for nodes that it claims one by one, or null where it only compiles. */
    default @Nullable KernelFactory kernels() {
        return null;
    }

    default DataLayout preferredLayout() {
        return DataLayout.NCHW;
    }

    /** Whether an operator should be given in {@code layout}; null leaves it to the engine. */
    default @Nullable Boolean shouldConvertLayout(OpId op, DataLayout layout) {
        return null;
    }

    default void setDynamicOptions(Map<String, String> options) {
        throw EngineException.notImplemented("provider '" + name() + "' has no dynamic options");
    }

    default void onRunStart() {}

    default void onRunEnd() {}

    /** Called once, when the session that it belongs to is ready to run. */
    default void onSessionReady() {}

    /** Memory of a device that is this session's own, or null for the factory's. */
    default @Nullable DeviceAllocator createAllocator(MemoryDevice memory) {
        return null;
    }

    /** What to write into a context model so that a factory can tell later whether it still fits; empty for nothing. */
    default String compatibilityInfo(Graph graph) {
        return "";
    }

    /**
     * Whether sessions that were made alike may have this one between them, with what it compiled: it then hears of one
     * session, which ends with the last of them. Not where it keeps anything of a session's own.
     */
    default boolean isSharedBySessions() {
        return false;
    }

    /** Whether several runs may be under way at once; otherwise they take turns. */
    default boolean isConcurrentRunSupported() {
        return true;
    }

    /** Waits until its devices have done all that was queued. */
    default void sync() {}

    /** Recording and replaying runs on the device, or null where the provider does not. */
    default @Nullable GraphCapture graphCapture() {
        return null;
    }

    /** A profiler of the device, or null where the provider has nothing to tell beyond its steps. */
    default @Nullable ProviderProfiler createProfiler() {
        return null;
    }

    /** Bytes of device memory that it can give to a session's graph, or -1 where it does not say. */
    default long availableMemory() {
        return -1;
    }

    /**
     * What keeps its steps from running from now on, such as a device that is gone, in words for people; null where nothing
     * does. Asked at any time, during runs too, by who wants to know whether a session can answer: it must not wait.
     */
    default @Nullable String trouble() {
        return null;
    }

    /** As {@link ProviderFactory#level}. Asked once its partitions are compiled, and for the health of a session. */
    default @Nullable ProviderLevel computeLevel() {
        return null;
    }

    /** Whether it heeds {@link ContextSink#names}; the metadata of its devices say the same. */
    default WeightlessSupport weightlessSupport() {
        return WeightlessSupport.NONE;
    }

    @Override
    default void close() {}
}
