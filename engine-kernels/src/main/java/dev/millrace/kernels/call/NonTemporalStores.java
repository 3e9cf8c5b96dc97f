package dev.millrace.kernels.call;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;

/**
 * The size from which results are written past the caches by non-temporal stores: the first bytes of such results would
 * be evicted before they are read, and reading their cache lines before writing them is a waste.
 *
 * @param leastBytes the least size of a streamed result
 */
public record NonTemporalStores(long leastBytes) {
    /** The threshold for most kernels: more than a core's share of the last-level cache. */
    public static final NonTemporalStores USUAL = new NonTemporalStores(8 << 20);

    /**
     * The threshold for kernels whose elements take so many steps that reading cache lines costs nothing: more than any
     * last-level cache.
     */
    public static final NonTemporalStores BEHIND_WORK = new NonTemporalStores(64 << 20);

    /** Whether a result is to be streamed vector by vector from the start of its segment. */
    public boolean suits(MemorySegment result, long bytes, Target target) {
        return bytes >= leastBytes && result.address() % target.vectorBytes() == 0;
    }
}
