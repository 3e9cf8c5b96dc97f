package dev.millrace.example.npu;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The memory of the NPU. The host gets no segment of it: {@link DeviceBuffer#host} is empty. */
final class NpuMemory implements DeviceAllocator {
    private static final long CAPACITY = 1L << 30;
    private static final long ALIGNMENT = 64;

    private final NpuDevice device;
    private long allocations;
    private long used;
    private long peak;

    NpuMemory(NpuDevice device) {
        this.device = device;
    }

    private record Buffer(Device device, Arena arena, MemorySegment memory) implements DeviceBuffer {
        @Override
        public MemoryKind kind() {
            return MemoryKind.DEFAULT;
        }

        @Override
        public long byteSize() {
            return memory.byteSize();
        }
    }

    /** The memory of a range, for code of the NPU. */
    static MemorySegment of(DeviceRange range) {
        if (!(range.buffer() instanceof Buffer buffer)) {
            throw new IllegalArgumentException("the NPU was given the buffer of another device: " + range);
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
        if (bytes > CAPACITY - used) {
            throw new EngineException(
                    Status.FAIL,
                    "the NPU has no " + bytes + " bytes: " + used + " of " + CAPACITY + " are in use",
                    new OutOfMemoryError(device.toString()));
        }
        allocations++;
        used += bytes;
        peak = Math.max(peak, used);
        Arena arena = Arena.ofShared();
        return new Buffer(
                device, arena, arena.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes));
    }

    /** Frees memory when the stream has done what it was given. */
    @Override
    public void free(DeviceBuffer buffer, DeviceStream stream) {
        Arena arena = ((Buffer) buffer).arena;
        synchronized (this) {
            used -= buffer.byteSize();
        }
        ((NpuStream) stream).release(arena);
    }

    @Override
    public synchronized AllocatorStatistics statistics() {
        return new AllocatorStatistics(allocations, used, used, peak, allocations, 0);
    }
}
