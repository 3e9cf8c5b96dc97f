package dev.millrace.scheduler.device;

/** The location of memory. Two locations are the same where all components are equal, the alignment included. */
public record MemoryDevice(DeviceType type, int vendorId, int deviceId, Kind kind, long alignment) {
    /** The host's own memory. */
    public static final MemoryDevice HOST = new MemoryDevice(DeviceType.CPU, 0, 0, Kind.DEFAULT, 64);

    /** The purpose of the memory. */
    public enum Kind {
        DEFAULT,
        HOST_ACCESSIBLE
    }

    /** Whether Java can read and write it in place. */
    public boolean isHostAccessible() {
        return type == DeviceType.CPU || kind == Kind.HOST_ACCESSIBLE;
    }
}
