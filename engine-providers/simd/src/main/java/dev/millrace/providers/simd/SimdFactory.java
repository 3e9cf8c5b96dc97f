package dev.millrace.providers.simd;

import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.List;
import java.util.Set;

/** Where {@code simd} providers come from. */
public final class SimdFactory implements ProviderFactory {
    private static final String VERSION = "1.0.0";

    private final ProductKernel products = new PanelProduct();

    @Override
    public String name() {
        return SimdProvider.NAME;
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
        return ProviderDevice.processors(SimdProvider.NAME, VERSION, hardware);
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(SimdProvider.NAME, Set.of());
        return new SimdProvider(products);
    }

    /** Programs of this format with weights in this layout run here; what is written by another provider is not known. */
    @Override
    public Compatibility validate(List<HardwareDevice> devices, String info) {
        if (!info.startsWith(SimdProvider.NAME + ";")) {
            return Compatibility.NOT_APPLICABLE;
        }
        boolean fits = info.equals(SimdProvider.compatibilityInfo(products))
                && !devices(devices).isEmpty();
        return fits ? Compatibility.OPTIMAL : Compatibility.UNSUPPORTED;
    }
}
