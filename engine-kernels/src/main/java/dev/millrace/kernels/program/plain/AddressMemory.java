package dev.millrace.kernels.program.plain;

import java.lang.foreign.MemorySegment;

/** All memory, by its addresses: nothing is checked, as under the lowerings that take {@link dev.millrace.kernels.program.NativeMemory}. */
final class AddressMemory extends SegmentMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    @Override
    MemorySegment segment(long pointer) {
        return ALL;
    }

    @Override
    long offset(long pointer) {
        return pointer;
    }
}
