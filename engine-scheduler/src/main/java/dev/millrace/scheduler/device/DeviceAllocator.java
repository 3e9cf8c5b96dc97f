package dev.millrace.scheduler.device;

import java.lang.foreign.MemorySegment;

/** Memory of one place. */
public interface DeviceAllocator {
    MemoryDevice device();

    /** Memory of at least this many bytes, aligned as the device says. */
    MemorySegment allocate(long bytes);

    void free(MemorySegment memory);

    /** Gives back what is held without being in use; nothing, where the allocator holds nothing. */
    default void shrink() {}
}
