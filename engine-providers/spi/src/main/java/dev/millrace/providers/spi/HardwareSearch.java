package dev.millrace.providers.spi;

import dev.millrace.scheduler.device.DeviceType;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A search for the graphics and neural processors of a Linux machine in the kernel's list of PCI devices. Other systems, and
 * containers that hide that list, have none.
 */
final class HardwareSearch {
    /** The class of display controllers, the first byte of a PCI class code. */
    private static final int DISPLAY = 0x03;
    /** The subclass of display controllers without a display, which is what accelerators for servers are. */
    private static final int CONTROLLER_3D = 0x02;
    /** The class of processing accelerators. */
    private static final int ACCELERATOR = 0x12;

    private static final Map<Integer, String> VENDORS = Map.of(
            0x1002, "AMD",
            0x1022, "AMD",
            0x106b, "Apple",
            0x10de, "NVIDIA",
            0x13b5, "ARM",
            0x17cb, "Qualcomm",
            0x1e52, "Tenstorrent",
            0x1ae0, "Google",
            0x8086, "Intel");

    private HardwareSearch() {}

    /** Returns the processors below a folder that is laid out as {@code /sys/bus/pci/devices}, by their addresses. */
    static List<HardwareDevice> in(Path pci) {
        var found = new TreeMap<String, HardwareDevice>();
        if (Files.isDirectory(pci)) {
            try (DirectoryStream<Path> devices = Files.newDirectoryStream(pci)) {
                for (Path each : devices) {
                    add(each, found);
                }
            } catch (IOException | SecurityException _) {
                // what cannot be listed is not offered
            }
        }
        return new ArrayList<>(found.values());
    }

    private static void add(Path device, Map<String, HardwareDevice> found) {
        try {
            int code = number(device.resolve("class"));
            int kind = code >> 16;
            if (kind != DISPLAY && kind != ACCELERATOR) {
                return;
            }
            int vendor = number(device.resolve("vendor"));
            String address = String.valueOf(device.getFileName());
            var metadata = new TreeMap<String, String>();
            metadata.put(HardwareDevice.PCI_ADDRESS, address);
            if (kind == DISPLAY) {
                metadata.put(HardwareDevice.DISCRETE, isDiscrete(code, address) ? "1" : "0");
            }
            found.put(
                    address,
                    new HardwareDevice(
                            kind == DISPLAY ? DeviceType.GPU : DeviceType.NPU,
                            vendor,
                            VENDORS.getOrDefault(vendor, "vendor %04x".formatted(vendor)),
                            number(device.resolve("device")),
                            metadata));
        } catch (IOException | NumberFormatException _) {
            // a device that went away meanwhile, or one that cannot be read
        }
    }

    /** Whether a display controller has a bus of its own: those of a processor's package are on bus 0. */
    private static boolean isDiscrete(int code, String address) {
        return (code >> 8 & 0xff) == CONTROLLER_3D || !address.matches("[0-9a-f]+:00:.*");
    }

    private static int number(Path file) throws IOException {
        return Integer.decode(Files.readString(file).strip());
    }
}
