package dev.millrace.providers.spi;

import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import java.util.List;
import java.util.Map;

/**
 * A device that a provider can drive.
 *
 * @param metadata properties that the provider reports for this device, such as {@code version}
 * @param options the provider options that suit this device: a provider is created with them, where the session's own
 *     options do not say otherwise; of several devices the first that has an option decides
 * @param memories the kinds of memory that its values can lie in, the default one first
 */
public record ProviderDevice(
        String provider,
        HardwareDevice hardware,
        Map<String, String> metadata,
        Map<String, String> options,
        List<MemoryKind> memories) {
    public ProviderDevice {
        metadata = Map.copyOf(metadata);
        options = Map.copyOf(options);
        memories = List.copyOf(memories);
    }

    /** Returns the processors (CPUs) among some hardware, for a provider that works in the memory of the host. */
    public static List<ProviderDevice> processors(String provider, String version, List<HardwareDevice> hardware) {
        return processors(provider, Map.of("version", version), hardware);
    }

    /** Returns the processors among some hardware, with further metadata of the provider. */
    public static List<ProviderDevice> processors(
            String provider, Map<String, String> metadata, List<HardwareDevice> hardware) {
        return hardware.stream()
                .filter(device -> device.type() == DeviceType.CPU)
                .map(device -> new ProviderDevice(provider, device, metadata, Map.of(), List.of(MemoryKind.DEFAULT)))
                .toList();
    }

    /** The reasons why a provider that works in the memory of the host cannot drive a device; empty where it can. */
    public static List<String> noProcessor(HardwareDevice device) {
        return device.type() == DeviceType.CPU
                ? List.of()
                : List.of("it works in the memory of the host, on processors; this is a " + device.type());
    }
}
