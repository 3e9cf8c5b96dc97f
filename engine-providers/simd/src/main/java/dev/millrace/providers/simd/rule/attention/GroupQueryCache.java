package dev.millrace.providers.simd.rule.attention;

import dev.millrace.kernels.attention.KeyRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The extents of the caches of a GroupQueryAttention.
 *
 * @param pastRoom places that the past has room for
 * @param room places that the present has room for
 * @param now new places
 * @param prompt whether the new places are all that there are, so that nothing is past
 */
record GroupQueryCache(int pastRoom, int room, int now, boolean prompt) {
    /** Returns how many places each entry of the batch has filled before, of the numbers of their last places. */
    int[] past(MemorySegment lastPlaces, int batch) {
        int[] past = new int[batch];
        for (int b = 0; b < batch && !prompt; b++) {
            int last = lastPlaces.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, b);
            int total = (int) Math.clamp(last + 1L, 0, room);
            past[b] = Math.clamp(total - now, 0, pastRoom);
        }
        return past;
    }

    /**
     * Copies the past of a head to its present, and clears the places behind the new ones.
     *
     * @param from the past, or null where there is none
     */
    void copy(@Nullable KeyRows from, KeyRows to, int batch, int head, int past, int depth) {
        MemorySegment target = to.data();
        long row = to.rowBytes(depth);
        long start = to.offset(batch, head, 0);
        if (from != null) {
            MemorySegment.copy(from.data(), from.offset(batch, head, 0), target, start, past * row);
        }
        long end = past + (long) now;
        target.asSlice(start + end * row, (room - end) * row).fill((byte) 0);
    }
}
