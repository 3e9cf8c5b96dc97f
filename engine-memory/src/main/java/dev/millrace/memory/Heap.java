package dev.millrace.memory;

import dev.millrace.memory.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** The heap of the C library. */
final class Heap {
    private static final MemorySegment CALLOC = Calls.ofLibrary("calloc");
    private static final MemorySegment FREE = Calls.ofLibrary("free");

    private Heap() {}

    /**
     * Zeros, aligned as C likes them; {@code cleanup} is to {@linkplain #free} them once nobody refers to them.
     *
     * @throws OutOfMemoryError if there are none
     */
    static MemorySegment zeros(long bytes, Arena arena, Consumer<MemorySegment> cleanup) {
        long address = Calls.call(CALLOC, 1, bytes, 0, 0, 0, 0);
        if (address == 0) {
            throw new OutOfMemoryError("the C library refuses " + bytes + " bytes");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, cleanup);
    }

    static void free(MemorySegment block) {
        Calls.call(FREE, block.address(), 0, 0, 0, 0, 0);
    }
}
