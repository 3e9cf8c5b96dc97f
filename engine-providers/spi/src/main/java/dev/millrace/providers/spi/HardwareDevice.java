package dev.millrace.providers.spi;

import dev.millrace.scheduler.device.DeviceType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A piece of hardware, or a virtual stand-in for one, as the engine found it. */
public record HardwareDevice(DeviceType type, int vendorId, String vendor, int deviceId, Map<String, String> metadata) {
    /** The metadata key whose value {@code 1} marks a device that is not present, for which models can be compiled. */
    public static final String VIRTUAL = "is_virtual";

    /** The metadata key whose value {@code 1} marks a graphics processor with memory of its own. */
    public static final String DISCRETE = "Discrete";

    /** The metadata key of a device's address on the PCI bus. */
    public static final String PCI_ADDRESS = "pci_bus_id";

    public HardwareDevice {
        metadata = Map.copyOf(metadata);
    }

    /** The processor that this code runs on. */
    public static HardwareDevice hostCpu() {
        return new HardwareDevice(DeviceType.CPU, 0, System.getProperty("os.arch", ""), 0, Map.of());
    }

    /**
     * Returns the processor that this code runs on, and the graphics and neural processors that the system lists: on Linux
     * those on the PCI bus.
     */
    public static List<HardwareDevice> ofThisMachine() {
        return Found.DEVICES;
    }

    /** Whether this stands for a device that is not present. */
    public boolean isVirtual() {
        return "1".equals(metadata.get(VIRTUAL));
    }

    /** The devices of this machine, found when they are first asked for. */
    private static final class Found {
        private static final List<HardwareDevice> DEVICES = find();

        private static List<HardwareDevice> find() {
            var all = new ArrayList<HardwareDevice>();
            all.add(hostCpu());
            all.addAll(HardwareSearch.in(Path.of("/sys/bus/pci/devices")));
            return List.copyOf(all);
        }
    }
}
