package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A buffer of a simulated device. Its bytes are seen by operations alone, unless the host may see memory of its kind. */
final class SimulatedBuffer implements DeviceBuffer {
    private final Device device;
    private final MemoryKind kind;
    private final String name;
    private final MemorySegment memory;
    /** Whether the host has freed it. */
    private boolean isFreed;
    /** Whether the stream that it was allocated on has come to that point. */
    private boolean isAllocated;
    /** Whether the stream to which it was given back has come to that point. */
    private boolean isReleased;

    SimulatedBuffer(Device device, MemoryKind kind, String name, MemorySegment memory) {
        this.device = device;
        this.kind = kind;
        this.name = name;
        this.memory = memory;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryKind kind() {
        return kind;
    }

    @Override
    public long byteSize() {
        return memory.byteSize();
    }

    @Override
    public Optional<MemorySegment> host() {
        return isHostVisible() ? Optional.of(memory) : Optional.empty();
    }

    boolean isHostVisible() {
        return kind == MemoryKind.HOST_ACCESSIBLE || kind == MemoryKind.PINNED;
    }

    MemorySegment memory() {
        return memory;
    }

    boolean isFreed() {
        return isFreed;
    }

    void free() {
        isFreed = true;
    }

    boolean isAllocated() {
        return isAllocated;
    }

    void allocate() {
        isAllocated = true;
    }

    boolean isReleased() {
        return isReleased;
    }

    void release() {
        isReleased = true;
    }

    @Override
    public String toString() {
        return name;
    }
}
