package dev.millrace.codegen.program;

import java.lang.foreign.MemorySegment;

/** Memory of kernels that take addresses as they are. */
public final class NativeMemory implements Memory {
    public static final NativeMemory INSTANCE = new NativeMemory();

    private NativeMemory() {}

    @Override
    public long pointer(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("kernels reach native memory only, not the heap: " + segment);
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the memory was freed: " + segment);
        }
        return segment.address();
    }

    /** Checks that the memory of a call is this one: the pointers of another mean nothing here. */
    public static void check(Memory memory, String kernel) {
        if (memory != INSTANCE) {
            throw new IllegalArgumentException("the memory was not made for " + kernel);
        }
    }
}
