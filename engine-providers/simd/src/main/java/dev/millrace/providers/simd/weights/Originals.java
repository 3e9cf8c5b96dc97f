package dev.millrace.providers.simd.weights;

import java.lang.foreign.MemorySegment;

/** Weights as they lie in the model's file, once they have been packed. */
final class Originals {
    /** Less is not worth a call of the system. */
    private static final long MANY_BYTES = 64 << 10;

    private Originals() {}

    /** Tells the system that the pages of a mapped file are not needed; who reads them again gets them again. */
    static void letGo(MemorySegment original) {
        if (original.isMapped()
                && original.byteSize() >= MANY_BYTES
                && original.scope().isAlive()) {
            original.unload();
        }
    }
}
