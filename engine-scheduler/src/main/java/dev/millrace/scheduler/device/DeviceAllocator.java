package dev.millrace.scheduler.device;

/**
 * An allocator of one kind of memory of one device. Allocation and release belong to a stream: they take effect in the
 * order of what the stream is given. May be called from any thread.
 */
public interface DeviceAllocator {
    Device device();

    MemoryKind kind();

    /**
     * Allocates memory that may be used by what {@code stream} is given after this call. Its content is undefined. Memory that
     * the host sees may be used by the host at once.
     *
     * @throws dev.millrace.graph.EngineException with an {@link OutOfMemoryError} as its cause where there is none
     */
    DeviceBuffer allocate(long bytes, DeviceStream stream);

    /** Frees memory. It may be used again by others after what {@code stream} was given before this call. */
    void free(DeviceBuffer buffer, DeviceStream stream);

    AllocatorStatistics statistics();

    /** Gives memory back that is held without being in use, down to {@code keepBytes}; returns the bytes given back. */
    default long shrink(long keepBytes) {
        return 0;
    }
}
