package dev.millrace.session.prepare;

import dev.millrace.providers.spi.ProviderDevice;
import java.util.List;
import java.util.Map;

/**
 * A provider that is to take part, its options and its devices.
 *
 * @param devices the devices that it uses; empty for all that it can drive
 */
public record ProviderRequest(String name, Map<String, String> options, List<ProviderDevice> devices) {
    /** A provider without options, on all devices that it can drive. */
    static ProviderRequest of(String name) {
        return new ProviderRequest(name, Map.of(), List.of());
    }
}
