package dev.millrace.providers.spi;

import java.lang.foreign.MemorySegment;

/** Constants as they lie in the model's file, once they have been packed. */
public final class Originals {
    /** Less is not worth a call of the system. */
    private static final long MANY_BYTES = 64 << 10;

    private Originals() {}

    /** Tells the system that the pages of a mapped file are not needed; who reads them again gets them again. */
    public static void release(MemorySegment original) {
        if (original.isMapped()
                && original.byteSize() >= MANY_BYTES
                && original.scope().isAlive()) {
            original.unload();
        }
    }
}
