package dev.millrace.providers.cpu;

import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HostFactory;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.List;
import java.util.Set;

/** The factory of {@code cpu} providers. */
public final class CpuFactory extends HostFactory {
    public CpuFactory() {
        super(CpuProvider.NAME, "Millrace", "1.0.0");
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(CpuProvider.NAME, Set.of());
        return new CpuProvider();
    }
}
