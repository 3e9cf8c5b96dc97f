package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.session.util.Failures;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A provider that a session uses, its options and its devices. A null is refused (INVALID_ARGUMENT), also as a key or a value.
 * The provider defines which options there are.
 *
 * @param devices the devices that it uses, of those that {@link Engine#devices()} lists; empty for all that it can drive
 */
public record ProviderChoice(String name, Map<String, String> options, List<ProviderDevice> devices) {
    public ProviderChoice {
        Failures.requireArgument(name, "name");
        Failures.requireArgument(options, "options").forEach((key, value) -> {
            if (key == null || value == null) {
                throw EngineException.invalidArgument("option '" + key + "' of provider '" + name + "' is " + value
                        + "; an option has a key and a value, which may be empty");
            }
        });
        // sorted, since a cache of what was compiled tells sessions apart by the text of this in every process
        options = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(options)));
        devices = Failures.all(devices, "devices");
        for (ProviderDevice device : devices) {
            if (!device.provider().equals(name)) {
                throw EngineException.invalidArgument(
                        "a device of provider '" + device.provider() + "' is none of provider '" + name + "'");
            }
        }
    }

    /** A provider with all devices that it can drive. */
    public ProviderChoice(String name, Map<String, String> options) {
        this(name, options, List.of());
    }

    public static ProviderChoice of(String name) {
        return new ProviderChoice(name, Map.of());
    }
}
