package dev.millrace.codegen.program;

import java.lang.foreign.MemorySegment;

/** Turns memory into the pointers that a kernel of one lowering understands. */
public interface Memory {
    /**
     * The pointer to the first byte of a segment, good while the segment is alive and this object is in use. A kernel
     * that is called with this object holds it: its arena cannot be closed under a call.
     *
     * @throws IllegalArgumentException if kernels of this lowering cannot reach the segment
     * @throws IllegalStateException if the segment was freed
     */
    long pointer(MemorySegment segment);
}
