package dev.millrace.kernels;

import dev.millrace.kernels.code.Machine;
import dev.millrace.kernels.code.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Buffers whose last byte is followed by a page that must not be touched: who reads or writes one element too far ends
 * the process. Where no pages can be had, buffers of exactly the size, which the interpreter checks itself.
 */
final class GuardedMemory {
    private final Arena arena;

    GuardedMemory(Arena arena) {
        this.arena = arena;
    }

    MemorySegment floats(long count) {
        long bytes = 4 * count;
        if (!Machine.runsCode()) {
            return arena.allocate(bytes, 4);
        }
        long size = Pages.roundUp(bytes);
        MemorySegment pages = Pages.map(size + Pages.SIZE, arena);
        if (!Pages.protect(pages.asSlice(size, Pages.SIZE), Pages.Protection.NONE)) {
            throw new AssertionError("no guard page");
        }
        return pages.asSlice(size - bytes, bytes);
    }

    MemorySegment random(long count, Random random) {
        MemorySegment segment = floats(count);
        for (long i = 0; i < count; i++) {
            segment.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, random.nextFloat() - 0.5f);
        }
        return segment;
    }
}
