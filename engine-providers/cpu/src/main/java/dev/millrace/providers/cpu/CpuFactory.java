package dev.millrace.providers.cpu;

import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.List;
import java.util.Set;

/** The factory of {@code cpu} providers. */
public final class CpuFactory implements ProviderFactory {
    private static final String VERSION = "1.0.0";

    @Override
    public String name() {
        return CpuProvider.NAME;
    }

    @Override
    public String vendor() {
        return "Millrace";
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return ProviderDevice.processors(CpuProvider.NAME, VERSION, hardware);
    }

    @Override
    public List<String> incompatibilities(HardwareDevice device) {
        return ProviderDevice.noProcessor(device);
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(CpuProvider.NAME, Set.of());
        return new CpuProvider();
    }
}
