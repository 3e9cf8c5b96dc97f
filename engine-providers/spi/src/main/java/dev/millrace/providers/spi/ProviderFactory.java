package dev.millrace.providers.spi;

import dev.millrace.graph.op.CustomOperator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A factory of providers: one per kind of provider and process, found by {@link java.util.ServiceLoader}. It owns the
 * devices that its providers run on ({@link ExecutionProvider#device}), so that all sessions share them, and closes them.
 */
public interface ProviderFactory extends AutoCloseable {
    /** The provider's name, as it is written in options and in the {@code source} of EPContext nodes. */
    String name();

    String vendor();

    /** The PCI vendor number, or 0 where there is none. */
    default int vendorId() {
        return 0;
    }

    /** A semantic version. */
    String version();

    /** Selects the hardware that the provider can drive, with the options and memories for each device. */
    List<ProviderDevice> devices(List<HardwareDevice> hardware);

    /**
     * The devices that are not present and that the provider can compile models for. Asked only where the provider comes from
     * a library that was registered under a name that ends in {@code .virtual}. Their hardware is {@linkplain
     * HardwareDevice#isVirtual() marked as virtual}.
     */
    default List<ProviderDevice> virtualDevices() {
        return List.of();
    }

    /** Creates a provider for one session, on those of its devices that the session uses. */
    ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options);

    /**
     * Whether a model that carries {@code info}, written by {@link ExecutionProvider#compatibilityInfo}, runs on these
     * devices.
     */
    default Compatibility validate(List<HardwareDevice> devices, String info) {
        return Compatibility.NOT_APPLICABLE;
    }

    /** The reasons why {@code device} cannot be driven; empty where it can. */
    default List<String> incompatibilities(HardwareDevice device) {
        return List.of();
    }

    /**
     * The level at which this factory's providers compute on this machine; null where there is only one. The call may
     * wait until the level is found out: the engine makes it on threads that nobody waits for, and before it looks into
     * a context cache. Models compiled at another level, or for another reason, are not taken out of a cache, so both
     * texts must be the same in all processes that compile alike.
     */
    default @Nullable ProviderLevel level() {
        return null;
    }

    /**
     * The operators that the provider adds, in domains of its own. All models of an engine may use them, also those whose
     * sessions do not ask this provider; running their nodes is up to the providers that a session asks.
     */
    default List<CustomOperator> customOperators() {
        return List.of();
    }

    /**
     * The index of the variant of a model package that suits a device best, or -1 where none does. Asked where several
     * variants for this provider are equally good by {@link #validate}.
     *
     * @param candidates the facts that the package states about each variant: {@code variant}, {@code device} and
     *     {@code compatibility}
     */
    default int selectModel(HardwareDevice device, List<Map<String, String>> candidates) {
        return candidates.isEmpty() ? -1 : 0;
    }

    /** The {@link SpiVersion#CURRENT version} of this interface that the provider was compiled against. */
    default int spiVersion() {
        return SpiVersion.FIRST;
    }

    @Override
    default void close() {}
}
