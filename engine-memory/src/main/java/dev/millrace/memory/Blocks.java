package dev.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Allocates blocks of native memory that the garbage collector reclaims. Large blocks have pages of their own, which
 * return to the operating system at once: in the heap of the C library, blocks of many sizes that are freed in any
 * order leave unused holes that stay resident. Medium blocks come from that heap, and small ones from the JDK.
 */
public final class Blocks {
    /** The size in bytes from which a block has pages of its own. */
    static final long LARGE = 128 << 10;

    /**
     * The size in bytes from which the C library allocates and zeroes a block. The JDK writes zeros word by word, in
     * Java code that may still be interpreted.
     */
    static final long MEDIUM = 1 << 10;

    private Blocks() {}

    /**
     * Allocates zeroed memory.
     *
     * @throws OutOfMemoryError where there is none, even after a garbage collection
     */
    public static MemorySegment allocate(long bytes, long alignment) {
        return allocate(bytes, alignment, true);
    }

    /**
     * Allocates zeroed memory that is not written for some time. A large block takes no memory from the operating
     * system until it is written, or {@linkplain #populate populated}.
     *
     * @throws OutOfMemoryError where there is none, even after a garbage collection
     */
    public static MemorySegment reserve(long bytes, long alignment) {
        return allocate(bytes, alignment, false);
    }

    /** Populates the pages of a reserved block before it is written, which takes a third of the time of page faults. */
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
        MappingBudget budget = MappingBudget.OF_PROCESS;
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
     * Returns the memory of a block to the operating system without waiting for the garbage collector. The block stays
     * readable but loses its content, so no one may need it any more.
     */
    public static void empty(MemorySegment block) {
        if (block.byteSize() >= LARGE && Pages.areKnown()) {
            Pages.empty(block);
        }
    }

    /** The number of bytes of all live blocks that the JDK does not count. */
    public static long mapped() {
        return MappingBudget.OF_PROCESS.taken();
    }

    /** The limit of native memory in bytes, from the JVM's options. */
    public static long limit() {
        return MappingBudget.OF_PROCESS.limit();
    }
}
