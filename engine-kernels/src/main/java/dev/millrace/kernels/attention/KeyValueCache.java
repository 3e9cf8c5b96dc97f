package dev.millrace.kernels.attention;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/** Keys or values of earlier steps, in a buffer with room for later ones. */
public final class KeyValueCache {
    private KeyValueCache() {}

    /**
     * Copies rows behind those that are there.
     *
     * @param cache with room for {@code length + rows} rows for each head
     * @param length how many rows are there
     */
    public static void append(
            HeadRows from, HeadRows cache, long batch, long heads, long length, long rows, long depth) {
        from.check("the new rows", batch, heads, rows, depth);
        cache.check("the cache", batch, heads, Math.addExact(length, rows), depth);
        CallChecks.writable("the cache", cache.data());
        boolean dense = from.rowStride() == depth && cache.rowStride() == depth;
        long bytes = 4 * depth * (dense ? rows : 1);
        for (long entry = 0; entry < batch; entry++) {
            for (long head = 0; head < heads; head++) {
                for (long row = 0; row < rows; row += dense ? Math.max(1, rows) : 1) {
                    MemorySegment.copy(
                            from.data(),
                            from.offset(entry, head, row),
                            cache.data(),
                            cache.offset(entry, head, length + row),
                            bytes);
                }
            }
        }
    }
}
