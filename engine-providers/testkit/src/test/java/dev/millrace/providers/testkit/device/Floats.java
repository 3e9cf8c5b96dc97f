package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Buffers of four floats, and operations on them. */
final class Floats {
    static final int COUNT = 4;
    static final long BYTES = 4L * COUNT;

    private Floats() {}

    static MemorySegment host(float value) {
        MemorySegment memory = Arena.ofAuto().allocate(BYTES, 4);
        set(memory, value);
        return memory;
    }

    static void set(MemorySegment memory, float value) {
        for (int i = 0; i < COUNT; i++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        }
    }

    static float[] get(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_FLOAT);
    }

    static DeviceBuffer allocate(DeviceStream stream) {
        return stream.device().allocator(MemoryKind.DEFAULT).allocate(BYTES, stream);
    }

    static void free(DeviceBuffer buffer, DeviceStream stream) {
        stream.device().allocator(buffer.kind()).free(buffer, stream);
    }

    static DeviceRange all(DeviceBuffer buffer) {
        return new DeviceRange(buffer, 0, buffer.byteSize());
    }

    static void upload(MemorySegment from, DeviceBuffer to, DeviceStream stream) {
        stream.device().transfer().copy(List.of(new Copy.Upload(from, all(to))), stream);
    }

    static void download(DeviceBuffer from, MemorySegment to, DeviceStream stream) {
        stream.device().transfer().copy(List.of(new Copy.Download(all(from), to)), stream);
    }

    /** An operation that writes a value everywhere. */
    static Operation fill(String name, DeviceBuffer to, float value) {
        return new Operation(name, List.of(), List.of(all(to)), 0, (reads, writes) -> set(writes.getFirst(), value));
    }

    /** An operation that writes a number more than it reads. */
    static Operation add(String name, DeviceBuffer from, DeviceBuffer to, float value) {
        return new Operation(name, List.of(all(from)), List.of(all(to)), 0, (reads, writes) -> {
            for (int i = 0; i < COUNT; i++) {
                float read = reads.getFirst().getAtIndex(ValueLayout.JAVA_FLOAT, i);
                writes.getFirst().setAtIndex(ValueLayout.JAVA_FLOAT, i, read + value);
            }
        });
    }
}
