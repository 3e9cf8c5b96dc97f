package dev.millrace.scheduler.device;

/** The memory that a value lies in. */
public record MemoryPlace(Device device, MemoryKind kind) {
    /** The host's own memory. */
    public static final MemoryPlace HOST = new MemoryPlace(Device.CPU, MemoryKind.DEFAULT);

    /** Whether Java code reads and writes it in place. */
    public boolean isHost() {
        return !device.isAsynchronous() || kind == MemoryKind.HOST_ACCESSIBLE || kind == MemoryKind.PINNED;
    }

    /** Whether a value that lies here can be read by what reads at {@code reader}, without a copy. */
    public boolean isReadableFrom(MemoryPlace reader) {
        if (equals(reader) || reader.equals(HOST) && isHost()) {
            return true;
        }
        return device == reader.device
                && device.isAsynchronous()
                && (kind == MemoryKind.HOST_ACCESSIBLE || kind == MemoryKind.DEFAULT)
                && (reader.kind == MemoryKind.DEFAULT || reader.kind == MemoryKind.READ_ONLY);
    }

    @Override
    public String toString() {
        return kind == MemoryKind.DEFAULT ? device.info().name() : device.info().name() + " " + kind;
    }
}
