package dev.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Blocks of native memory that the garbage collector reclaims. Large ones have pages of their own, which go back to the
 * system at once: in the heap of the C library blocks of many sizes, given back in any order, leave holes that are
 * resident and hold nothing.
 */
public final class Blocks {
    /** From here on a block has pages of its own. */
    static final long LARGE = 128 << 10;

    private Blocks() {}

    /**
     * Memory of zeros.
     *
     * @throws OutOfMemoryError where there is none, after a collection
     */
    public static MemorySegment allocate(long bytes, long alignment) {
        if (bytes < LARGE || alignment > Pages.SIZE || !Pages.areKnown()) {
            return Arena.ofAuto().allocate(bytes, alignment);
        }
        long size = Pages.roundUp(bytes);
        Budget budget = Budget.OF_PROCESS;
        budget.take(size);
        try {
            return Pages.map(size, Arena.ofAuto(), pages -> {
                        Pages.unmap(pages);
                        budget.giveBack(size);
                    })
                    .asSlice(0, bytes);
        } catch (OutOfMemoryError refused) {
            budget.giveBack(size);
            throw refused;
        }
    }

    /** The bytes of all blocks with pages of their own that were not given back yet: the JDK does not count them. */
    public static long mapped() {
        return Budget.OF_PROCESS.taken();
    }

    /** How much native memory the JVM may have, as its options say. */
    public static long limit() {
        return Budget.OF_PROCESS.limit();
    }
}
