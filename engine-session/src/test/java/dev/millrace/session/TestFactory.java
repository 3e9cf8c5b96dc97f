package dev.millrace.session;

import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import java.util.List;

/** A factory of a test's provider, which drives the host's processors. */
public abstract class TestFactory implements ProviderFactory {
    private final String name;

    protected TestFactory(String name) {
        this.name = name;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String vendor() {
        return "test";
    }

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return ProviderDevice.processors(name, version(), hardware);
    }
}
