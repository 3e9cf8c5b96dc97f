package dev.millrace.scheduler.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Copies between places. */
public interface DataTransfer {
    boolean canCopy(MemoryDevice from, MemoryDevice to);

    /** Copies all of {@code from}; queued on {@code stream} where there is one, otherwise done on return. */
    void copy(MemorySegment from, MemorySegment to, @Nullable SyncStream stream);
}
