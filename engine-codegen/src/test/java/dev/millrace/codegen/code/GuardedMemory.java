package dev.millrace.codegen.code;

import dev.millrace.memory.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Buffers between pages that must not be touched: who reads or writes one byte too far ends the process. A buffer ends
 * at the page behind it, or begins at the page before it. Where no pages can be had, buffers of exactly the size, which
 * the interpreter checks itself.
 */
public final class GuardedMemory {
    private final Arena arena;
    private boolean atStart;

    public GuardedMemory(Arena arena) {
        this.arena = arena;
    }

    public MemorySegment bytes(long bytes) {
        return bytes(bytes, 1);
    }

    /** Buffers begin at their guard page and end at it by turns. */
    public MemorySegment bytes(long bytes, long alignment) {
        if (!Machine.runsCode()) {
            return arena.allocate(bytes, alignment);
        }
        long size = Pages.roundUp(Math.max(1, bytes));
        MemorySegment pages = Pages.map(size + 2 * Pages.SIZE, arena);
        protect(pages.asSlice(0, Pages.SIZE));
        protect(pages.asSlice(Pages.SIZE + size, Pages.SIZE));
        atStart = !atStart;
        return pages.asSlice(Pages.SIZE + (atStart ? 0 : size - bytes), bytes);
    }

    private static void protect(MemorySegment page) {
        if (!Pages.protect(page, Pages.Protection.NONE)) {
            throw new AssertionError("no guard page");
        }
    }

    public MemorySegment floats(long count) {
        return bytes(4 * count, 4);
    }

    public MemorySegment random(long count, Random random) {
        MemorySegment segment = floats(count);
        for (long i = 0; i < count; i++) {
            segment.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, random.nextFloat() - 0.5f);
        }
        return segment;
    }

    /** Bytes of any value. */
    public MemorySegment randomBytes(long count, Random random) {
        MemorySegment segment = bytes(count);
        for (long i = 0; i < count; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        return segment;
    }
}
