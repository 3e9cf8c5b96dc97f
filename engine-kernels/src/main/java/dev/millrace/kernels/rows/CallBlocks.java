package dev.millrace.kernels.rows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Blocks for the arguments of calls, used again and again. Safe for use by several threads. */
final class CallBlocks {
    private static final int KEPT = 16;
    private static final long ALIGNMENT = 64;

    private final AtomicReferenceArray<@Nullable MemorySegment> free = new AtomicReferenceArray<>(KEPT);
    private final long bytes;

    CallBlocks(long bytes) {
        this.bytes = bytes;
    }

    MemorySegment take() {
        for (int i = 0; i < KEPT; i++) {
            MemorySegment block = free.getAndSet(i, null);
            if (block != null) {
                return block;
            }
        }
        return Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }

    void give(MemorySegment block) {
        for (int i = 0; i < KEPT; i++) {
            if (free.compareAndSet(i, null, block)) {
                return;
            }
        }
    }
}
