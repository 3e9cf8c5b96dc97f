package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.DeviceRange;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that an operation reads or writes.
 *
 * @param buffer the buffer that it is a part of; null for memory of the host
 * @param text the memory as messages name it
 */
record DeviceOperand(MemorySegment memory, @Nullable SimulatedBuffer buffer, String text) {
    static final byte POISON = (byte) 0xff;

    static DeviceOperand of(DeviceRange range) {
        if (!(range.buffer() instanceof SimulatedBuffer buffer)) {
            throw new IllegalArgumentException("a simulated device was given the buffer of another one: " + range);
        }
        return new DeviceOperand(
                buffer.memory().asSlice(range.offset(), range.bytes()),
                buffer,
                buffer + "[" + range.offset() + ", " + (range.offset() + range.bytes()) + ")");
    }

    static DeviceOperand of(SimulatedBuffer buffer) {
        return of(new DeviceRange(buffer, 0, buffer.byteSize()));
    }

    static DeviceOperand ofHost(MemorySegment memory) {
        return new DeviceOperand(memory, null, memory.byteSize() + " bytes of the host");
    }

    boolean isHostVisible() {
        return buffer == null || buffer.isHostVisible();
    }

    /** The Java array that holds the memory; null for native memory. */
    @Nullable
    Object array() {
        return memory.isNative() ? null : memory.heapBase().orElse(memory);
    }

    boolean overlaps(DeviceOperand other) {
        return memory.byteSize() > 0
                && other.memory.byteSize() > 0
                && memory.asOverlappingSlice(other.memory).isPresent();
    }

    /** Fills the memory with bytes that are NaN in every type of floats. */
    void poison() {
        memory.fill(POISON);
    }
}
