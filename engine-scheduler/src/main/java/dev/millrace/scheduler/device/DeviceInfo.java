package dev.millrace.scheduler.device;

import java.util.Map;

/**
 * A description of a device.
 *
 * @param name the name in messages and pictures; unique in an engine
 * @param vendorId the PCI vendor number, or 0 where there is none
 * @param metadata further properties, such as the version of the driver
 */
public record DeviceInfo(
        String name, DeviceType type, String vendor, int vendorId, int deviceId, Map<String, String> metadata) {
    public DeviceInfo {
        metadata = Map.copyOf(metadata);
    }
}
