package dev.millrace.kernels.call;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;

/**
 * When results are written past the caches: where there is so much of them that the first would be gone from the caches
 * before anyone reads them, and reading their lines first is a waste.
 *
 * @param leastBytes of a result that is streamed
 */
public record Streaming(long leastBytes) {
    /** What no core's share of the last cache holds. */
    public static final Streaming USUAL = new Streaming(8 << 20);

    /** Where every element takes so many steps that reading lines first costs nothing: what no last cache holds. */
    public static final Streaming BEHIND_WORK = new Streaming(64 << 20);

    /** Whether a result is to be streamed from the start of a segment on, vector by vector. */
    public boolean suits(MemorySegment result, long bytes, Target target) {
        return bytes >= leastBytes && result.address() % target.vectorBytes() == 0;
    }
}
