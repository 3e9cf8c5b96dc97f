package dev.millrace.kernels.cast;

import java.lang.foreign.MemorySegment;

/** One conversion on the way from a type to another. */
interface CastStage {
    NumberType from();

    NumberType to();

    /** Converts numbers from one place on to another place on. */
    void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count);
}
