package dev.millrace.example.npu;

import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.SpiVersion;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import java.util.List;
import java.util.Map;

/** The factory of the provider {@code npu}. It owns the device and the weights that lie on it. */
public final class NpuFactory implements ProviderFactory {
    private final NpuTarget here = NpuTarget.installed();
    private final NpuDevice device = new NpuDevice(here);
    private final NpuWeights weights = new NpuWeights(device);

    @Override
    public String name() {
        return NpuTarget.NAME;
    }

    @Override
    public String vendor() {
        return NpuTarget.VENDOR;
    }

    @Override
    public int vendorId() {
        return 0x1af4;
    }

    @Override
    public int spiVersion() {
        return SpiVersion.CURRENT;
    }

    @Override
    public String version() {
        return here.sdk();
    }

    /** Drives the simulated NPU, which is on the host's processor, and NPUs of this vendor. */
    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return hardware.stream()
                .filter(each -> incompatibilities(each).isEmpty())
                .map(each ->
                        new ProviderDevice(NpuTarget.NAME, each, metadata(each), Map.of(), List.of(MemoryKind.DEFAULT)))
                .toList();
    }

    /** The NPU of the next generation, for models that are compiled before anybody has one. */
    @Override
    public List<ProviderDevice> virtualDevices() {
        var next = new HardwareDevice(
                DeviceType.NPU,
                vendorId(),
                NpuTarget.VENDOR,
                2,
                Map.of(HardwareDevice.VIRTUAL, "1", "generation", "2"));
        return devices(List.of(next));
    }

    private Map<String, String> metadata(HardwareDevice hardware) {
        NpuTarget target = here.on(hardware);
        return Map.of(
                "version", target.sdk(),
                "driver", Integer.toString(target.driver()),
                "generation", Integer.toString(target.generation()));
    }

    @Override
    public List<String> incompatibilities(HardwareDevice hardware) {
        boolean isOurs = hardware.type() == DeviceType.CPU
                || hardware.type() == DeviceType.NPU && hardware.vendor().equals(NpuTarget.VENDOR);
        return isOurs
                ? List.of()
                : List.of("it drives NPUs of " + NpuTarget.VENDOR + "; this is a " + hardware.type() + " of "
                        + hardware.vendor());
    }

    /** Creates a provider that compiles for a virtual NPU where there is one, and for the simulated one otherwise. */
    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        HardwareDevice hardware = devices.stream()
                .map(ProviderDevice::hardware)
                .filter(each -> each.type() == DeviceType.NPU)
                .findFirst()
                .orElseGet(HardwareDevice::hostCpu);
        return new NpuProvider(device, weights, here.on(hardware), NpuSettings.of(options));
    }

    @Override
    public Compatibility validate(List<HardwareDevice> devices, String info) {
        return here.verdict(devices, info);
    }

    @Override
    public void close() {
        device.close();
    }
}
