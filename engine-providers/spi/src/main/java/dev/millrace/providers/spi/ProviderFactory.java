package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.scheduler.device.DataTransfer;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.MemoryDevice;
import dev.millrace.scheduler.device.SyncStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where providers come from: one per kind of provider and process, found by {@link java.util.ServiceLoader}. */
public interface ProviderFactory extends AutoCloseable {
    /** The provider's name; in options and in the {@code source} of EPContext nodes it stands as it is here. */
    String name();

    String vendor();

    /** The PCI vendor number, or 0 where there is none. */
    default int vendorId() {
        return 0;
    }

    /** A semantic version. */
    String version();

    /** Which of this hardware the provider can drive, and how. */
    List<ProviderDevice> devices(List<HardwareDevice> hardware);

    /** A provider for one session. */
    ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options);

    /**
     * Whether a model that carries {@code info}, written by {@link ExecutionProvider#compatibilityInfo}, runs on these
     * devices.
     */
    default Compatibility validate(List<HardwareDevice> devices, String info) {
        return Compatibility.NOT_APPLICABLE;
    }

    /** Why {@code device} cannot be driven; empty where it can. */
    default List<String> incompatibilities(HardwareDevice device) {
        return List.of();
    }

    /**
     * How its providers compute on this machine; null where there is one way only. May wait until that is found out: the engine asks
     * where nobody waits, and before it looks into a context cache. What was compiled at another level, or for another reason, is not
     * taken out of the cache, so both are the same in all processes that compile alike.
     */
    default @Nullable ProviderLevel level() {
        return null;
    }

    /** Operators of domains of its own that the provider brings. */
    default List<OperatorSchema> customOperators() {
        return List.of();
    }

    /** Memory of a device, or null where the host's serves. */
    default @Nullable DeviceAllocator createAllocator(MemoryDevice memory, Map<String, String> options) {
        return null;
    }

    /** Copies to and from the provider's devices, or null where they share the host's memory. */
    default @Nullable DataTransfer createDataTransfer() {
        return null;
    }

    default boolean isStreamAware() {
        return false;
    }

    default SyncStream createStream(MemoryDevice memory, Map<String, String> options) {
        throw EngineException.notImplemented("provider '" + name() + "' has no streams");
    }

    /** The index of the candidate that suits {@code device} best, or -1 where none does. */
    default int selectModel(HardwareDevice device, List<Map<String, String>> candidates) {
        return candidates.isEmpty() ? -1 : 0;
    }

    @Override
    default void close() {}
}
