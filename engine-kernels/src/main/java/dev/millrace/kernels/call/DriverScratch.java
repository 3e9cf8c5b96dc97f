package dev.millrace.kernels.call;

import dev.millrace.codegen.code.Recording;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a driver needs while it runs, one piece for each thread that it runs on, kept for the next run. What it
 * holds is undefined.
 */
public final class DriverScratch {
    private static final long ALIGNMENT = 64;

    private final ThreadLocal<@Nullable MemorySegment> memory = new ThreadLocal<>();

    /** At least so many bytes, for the thread that asks, until it asks again. */
    public MemorySegment atLeast(long bytes) {
        Recording recording = Recording.ofThread();
        if (recording != null) {
            return recording.memory(bytes);
        }
        MemorySegment known = memory.get();
        if (known == null || known.byteSize() < bytes) {
            known = Blocks.allocate(bytes, ALIGNMENT);
            memory.set(known);
        }
        return known;
    }
}
