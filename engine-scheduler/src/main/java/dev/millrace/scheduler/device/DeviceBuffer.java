package dev.millrace.scheduler.device;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A handle of device memory. Kernels get a buffer and an offset; the host cannot read through a handle. */
public interface DeviceBuffer {
    Device device();

    MemoryKind kind();

    long byteSize();

    /** The memory as the host sees it; empty unless the kind is host-accessible or pinned. */
    default Optional<MemorySegment> host() {
        return Optional.empty();
    }
}
