package dev.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Blocks of native memory that the garbage collector reclaims. Large ones have pages of their own, which go back to the
 * system at once: in the heap of the C library blocks of many sizes, given back in any order, leave holes that are
 * resident and hold nothing. Smaller ones are in that heap, and small ones come from the JDK.
 */
public final class Blocks {
    /** From here on a block has pages of its own. */
    static final long LARGE = 128 << 10;

    /** From here on the C library makes the zeros. The JDK stores them word by word, in Java that may be interpreted. */
    static final long MEDIUM = 1 << 10;

    private Blocks() {}

    /**
     * Memory of zeros.
     *
     * @throws OutOfMemoryError where there is none, after a collection
     */
    public static MemorySegment allocate(long bytes, long alignment) {
        return allocate(bytes, alignment, true);
    }

    /**
     * Memory of zeros that is not written yet for some time. Where it is large it takes none from the system until it is
     * written, or {@linkplain #populate populated}.
     *
     * @throws OutOfMemoryError where there is none, after a collection
     */
    public static MemorySegment reserve(long bytes, long alignment) {
        return allocate(bytes, alignment, false);
    }

    /** Says that a block which was reserved is written now: it gets its memory at once, which takes a third of the time. */
    public static void populate(MemorySegment block) {
        if (block.byteSize() >= LARGE && Pages.areKnown()) {
            Pages.populate(block);
        }
    }

    private static MemorySegment allocate(long bytes, long alignment, boolean soon) {
        if (bytes < MEDIUM || alignment > Pages.SIZE || !Pages.areKnown()) {
            return Arena.ofAuto().allocate(bytes, alignment);
        }
        boolean mapped = bytes >= LARGE;
        long size = mapped ? Pages.roundUp(bytes) : bytes + alignment;
        Budget budget = Budget.OF_PROCESS;
        budget.take(size);
        try {
            MemorySegment block = mapped
                    ? Pages.map(size, Arena.ofAuto(), soon, pages -> {
                        Pages.unmap(pages);
                        budget.giveBack(size);
                    })
                    : Heap.zeros(size, Arena.ofAuto(), zeros -> {
                        Heap.free(zeros);
                        budget.giveBack(size);
                    });
            return block.asSlice(-block.address() & (alignment - 1), bytes);
        } catch (OutOfMemoryError refused) {
            budget.giveBack(size);
            throw refused;
        }
    }

    /**
     * Gives back what a block holds, and not only once the collector has found it. The memory stays readable, without its
     * content: for blocks that nobody is going to read.
     */
    public static void empty(MemorySegment block) {
        if (block.byteSize() >= LARGE && Pages.areKnown()) {
            Pages.empty(block);
        }
    }

    /** The bytes of all blocks that were not given back yet and that the JDK does not count. */
    public static long mapped() {
        return Budget.OF_PROCESS.taken();
    }

    /** How much native memory the JVM may have, as its options say. */
    public static long limit() {
        return Budget.OF_PROCESS.limit();
    }
}
