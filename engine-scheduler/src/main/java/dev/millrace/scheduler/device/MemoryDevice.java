package dev.millrace.scheduler.device;

/** Where memory lies. Two are the same place where all of this is equal, the alignment included. */
public record MemoryDevice(DeviceType type, int vendorId, int deviceId, Kind kind, long alignment) {
    /** The host's own memory. */
    public static final MemoryDevice HOST = new MemoryDevice(DeviceType.CPU, 0, 0, Kind.DEFAULT, 64);

    /** What the memory is for. */
    public enum Kind {
        DEFAULT,
        HOST_ACCESSIBLE
    }

    /** Whether Java can read and write it in place. */
    public boolean isHostAccessible() {
        return type == DeviceType.CPU || kind == Kind.HOST_ACCESSIBLE;
    }
}
