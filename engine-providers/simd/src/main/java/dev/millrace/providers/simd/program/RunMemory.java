package dev.millrace.providers.simd.program;

import java.lang.foreign.MemorySegment;

/** The memory of one run, in which views are resolved to segments. */
public interface RunMemory {
    /** Returns the memory of a view, from its first byte to its last. */
    MemorySegment segment(View view);

    /** Returns the scratch memory of the step. */
    MemorySegment scratch();
}
