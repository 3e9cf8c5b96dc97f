package dev.millrace.scheduler.device;

import java.util.Objects;

/** A part of a buffer: one argument of a kernel, or one side of a copy. */
public record DeviceRange(DeviceBuffer buffer, long offset, long bytes) {
    public DeviceRange {
        Objects.checkFromIndexSize(offset, bytes, buffer.byteSize());
    }

    /** Returns a part of this range. */
    public DeviceRange slice(long from, long length) {
        Objects.checkFromIndexSize(from, length, bytes);
        return new DeviceRange(buffer, offset + from, length);
    }

    /** Whether this range and another one have a byte together. */
    public boolean overlaps(DeviceRange other) {
        return buffer == other.buffer && offset < other.offset + other.bytes && other.offset < offset + bytes;
    }
}
