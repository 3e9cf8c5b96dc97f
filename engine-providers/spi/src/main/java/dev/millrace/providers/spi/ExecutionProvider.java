package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A provider in one session. It claims nodes and compiles them, or brings kernels for them, or both. The default
 * methods describe a provider that does not implement the feature in question.
 */
public interface ExecutionProvider extends AutoCloseable {
    String name();

    /**
     * Further names under which context models may name this provider as the {@code source} of their EPContext nodes, such as
     * {@code QNNExecutionProvider} for {@code QNN}. The provider gets such nodes as its own.
     */
    default Set<String> sourceAliases() {
        return Set.of();
    }

    /** The device that its steps run on, which its factory owns. */
    default Device device() {
        return Device.CPU;
    }

    /**
     * Claims nodes of a graph. Graphs nested in it are offered afterwards, each by itself, unless a provider has fused
     * the node that they belong to.
     */
    void claim(Graph graph, CapabilitySink sink);

    /**
     * Compiles partitions, in one call for all partitions of a graph. The provider may read the graphs during the call
     * only.
     *
     * @return one kernel for each partition, in order
     */
    default List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        throw new EngineException(Status.EP_FAIL, "provider '" + name() + "' fuses nodes but does not compile");
    }

    /**
     * Frees kernels that {@link #compile} returned. Each kernel is released once: where the provider could not compile
     * all partitions, before it is asked again with others, and otherwise before the provider is closed.
     */
    default void release(List<Kernel> kernels) {}

    /** The kernels for nodes that it claims one by one, or null where it only compiles. */
    default @Nullable KernelFactory kernels() {
        return null;
    }

    default void setDynamicOptions(Map<String, String> options) {
        throw EngineException.notImplemented("provider '" + name() + "' has no dynamic options");
    }

    /** The calls around runs, or null for none. Asked once, when the model is ready to run. */
    default @Nullable RunHook runHook() {
        return null;
    }

    /** Called once, when the session that the provider belongs to is ready to run. */
    default void onSessionReady() {}

    /**
     * The text that a context model carries so that a factory can tell later whether the model still fits; empty for
     * none.
     */
    default String compatibilityInfo(Graph graph) {
        return "";
    }

    /**
     * Whether sessions that were created alike may share this provider with all that it compiled. It is then told of
     * one session, which ends with the last of them. A provider that keeps state of a single session returns false.
     */
    default boolean isSharedBySessions() {
        return false;
    }

    /** Whether several runs may be in progress at once; otherwise they run one after another. */
    default boolean isConcurrentRunSupported() {
        return true;
    }

    /**
     * Creates a profiler of the device for one run, where a listener of the run such as a trace asks for it. Null where the
     * provider reports nothing beyond its steps.
     */
    default @Nullable ProviderProfiler createProfiler() {
        return null;
    }

    /**
     * The reason why the provider's steps cannot run from now on, such as a lost device, in words for people; null
     * where they can. Asked at any time, also during runs, to find out whether a session can answer: it must not wait.
     */
    default @Nullable String trouble() {
        return null;
    }

    /**
     * The level at which this provider computes, as {@link ProviderFactory#level}. Asked once its partitions are
     * compiled, and for the health of a session.
     */
    default @Nullable ProviderLevel computeLevel() {
        return null;
    }

    /** The support for {@link ContextSink#names}. The metadata of the provider's devices say the same. */
    default WeightlessSupport weightlessSupport() {
        return WeightlessSupport.NONE;
    }

    @Override
    default void close() {}
}
