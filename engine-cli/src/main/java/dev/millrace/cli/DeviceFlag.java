package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.session.DevicePolicy;
import dev.millrace.session.DevicePreference;
import dev.millrace.session.SessionOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag by which commands choose devices. */
public final class DeviceFlag {
    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description =
                    "The devices to use, of those that 'devices' lists: a type (cpu, gpu, npu), a provider's name or"
                        + " NAME:NUMBER for one of its devices, or a preference such as prefer_npu or max_performance."
                        + " Nodes that are left run on the host's processor.")
    private @Nullable String text;

    /** Adds the choice to the options of a session. */
    public void addTo(SessionOptions.Builder options) {
        if (text != null) {
            options.devicePolicy(policy(text));
        }
    }

    private static DevicePolicy policy(String text) {
        Optional<DevicePreference> preference = Arrays.stream(DevicePreference.values())
                .filter(each -> each.name().equalsIgnoreCase(text.replace('-', '_')))
                .findFirst();
        return preference.isPresent() ? preference.get() : devices -> chosen(text, devices);
    }

    private static List<ProviderDevice> chosen(String text, List<ProviderDevice> devices) {
        List<ProviderDevice> chosen = devices.stream()
                .filter(device -> device.hardware().type().name().equalsIgnoreCase(text)
                        || device.provider().equals(text)
                        || text.equals(device.provider() + ":" + number(device, devices)))
                .toList();
        if (chosen.isEmpty()) {
            throw new EngineException(
                    Status.NOT_FOUND,
                    "--device " + text + ": there is no such device; there are "
                            + devices.stream()
                                    .map(device -> device.provider() + ":" + number(device, devices) + " ("
                                            + device.hardware().type() + ")")
                                    .toList());
        }
        return chosen;
    }

    /** The number of a device among those of its provider. */
    private static long number(ProviderDevice device, List<ProviderDevice> devices) {
        return devices.stream()
                .filter(each -> each.provider().equals(device.provider()))
                .toList()
                .indexOf(device);
    }
}
