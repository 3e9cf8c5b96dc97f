package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The memory of a {@link ThreadedDevice}, which counts what is allocated. */
final class ThreadedAllocator implements DeviceAllocator {
    private final Device device;
    private long allocations;
    private long usedBytes;
    private long peakBytes;
    private long shrinkages;

    ThreadedAllocator(Device device) {
        this.device = device;
    }

    /** Native memory that the host has no segment of. */
    private record Buffer(Device device, MemorySegment memory) implements DeviceBuffer {
        @Override
        public MemoryKind kind() {
            return MemoryKind.DEFAULT;
        }

        @Override
        public long byteSize() {
            return memory.byteSize();
        }
    }

    static MemorySegment memory(DeviceRange range) {
        if (!(range.buffer() instanceof Buffer buffer)) {
            throw new IllegalArgumentException("a threaded device was given the buffer of another one: " + range);
        }
        return buffer.memory.asSlice(range.offset(), range.bytes());
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryKind kind() {
        return MemoryKind.DEFAULT;
    }

    @Override
    public synchronized DeviceBuffer allocate(long bytes, DeviceStream stream) {
        allocations++;
        usedBytes += bytes;
        peakBytes = Math.max(peakBytes, usedBytes);
        return new Buffer(device, Arena.ofAuto().allocate(Math.max(1, bytes), 64));
    }

    @Override
    public synchronized void free(DeviceBuffer buffer, DeviceStream stream) {
        usedBytes -= buffer.byteSize();
    }

    @Override
    public synchronized AllocatorStatistics statistics() {
        return new AllocatorStatistics(allocations, usedBytes, usedBytes, peakBytes, allocations, shrinkages);
    }

    @Override
    public synchronized long shrink(long keepBytes) {
        shrinkages++;
        return 0;
    }
}
