package dev.millrace.providers.simd.program;

import java.lang.foreign.MemorySegment;

/** Where things are in one run. */
public interface Memory {
    /** From the first byte of a view to its last. */
    MemorySegment segment(View view);

    /** What the step has asked for as scratch memory. */
    MemorySegment scratch();
}
