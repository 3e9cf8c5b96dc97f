package dev.millrace.providers.spi;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A factory of providers that work in the memory of the host, on its processors. */
public abstract class HostFactory implements ProviderFactory {
    private final String name;
    private final String vendor;
    private final String version;
    private final Map<String, String> metadata;

    protected HostFactory(String name, String vendor, String version) {
        this(name, vendor, version, Map.of());
    }

    /** @param metadata properties of its devices beside their version */
    protected HostFactory(String name, String vendor, String version, Map<String, String> metadata) {
        this.name = name;
        this.vendor = vendor;
        this.version = version;
        var all = new HashMap<>(metadata);
        all.put("version", version);
        this.metadata = Map.copyOf(all);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String vendor() {
        return vendor;
    }

    @Override
    public final String version() {
        return version;
    }

    @Override
    public final List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return ProviderDevice.processors(name, metadata, hardware);
    }

    @Override
    public final List<String> incompatibilities(HardwareDevice device) {
        return ProviderDevice.noProcessor(device);
    }
}
