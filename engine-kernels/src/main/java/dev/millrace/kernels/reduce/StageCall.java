package dev.millrace.kernels.reduce;

import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A step of a reduction that is ready to run. */
interface StageCall {
    /**
     * Reduces; where there are parts, to the results of these.
     *
     * @param shift with a float for each result, if exponentials are taken
     */
    void run(MemorySegment in, MemorySegment out, @Nullable MemorySegment shift, Parallel parallel);
}
