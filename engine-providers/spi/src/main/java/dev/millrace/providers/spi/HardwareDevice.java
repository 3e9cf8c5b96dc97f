package dev.millrace.providers.spi;

import dev.millrace.scheduler.device.DeviceType;
import java.util.Map;

/** A piece of hardware, or a virtual stand-in for one, as the engine found it. */
public record HardwareDevice(DeviceType type, int vendorId, String vendor, int deviceId, Map<String, String> metadata) {
    public HardwareDevice {
        metadata = Map.copyOf(metadata);
    }

    /** The processor that this code runs on. */
    public static HardwareDevice hostCpu() {
        return new HardwareDevice(DeviceType.CPU, 0, System.getProperty("os.arch", ""), 0, Map.of());
    }
}
