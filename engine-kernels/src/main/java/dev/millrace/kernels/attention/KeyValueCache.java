package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Keys or values of earlier steps, in a buffer with room for later ones. Safe for use by several threads. */
public final class KeyValueCache {
    private final KernelSet kernels;
    private final KernelCache<RowType> writings;

    public KeyValueCache(KernelSet kernels) {
        this.kernels = kernels;
        writings = new KernelCache<>(kernels, RowType::writing);
    }

    /**
     * Copies rows of an entry of the batch behind those that are there, in the form in which they are stored.
     *
     * @param cache with room for {@code length + rows} rows for each head
     * @param length how many rows are there
     */
    public void append(HeadRows from, KeyRows cache, long entry, long heads, long length, long rows, long depth) {
        switch (cache) {
            case HeadRows floats -> {
                MemorySegment own = floats.data().asSlice(floats.offset(entry, 0, 0));
                var rowsOfEntry = new HeadRows(own, floats.batchStride(), floats.headStride(), floats.rowStride());
                append(from, rowsOfEntry, 1, heads, length, rows, depth);
            }
            case StoredRows stored -> store(from, stored, entry, heads, length, rows, depth);
        }
    }

    private void store(HeadRows from, StoredRows cache, long entry, long heads, long length, long rows, long depth) {
        from.check("the new rows", 1, heads, rows, depth);
        cache.check("the cache", entry + 1, heads, Math.addExact(length, rows), depth);
        CallChecks.writable("the cache", cache.data());
        CallChecks.apart("the cache", cache.data(), "the new rows", from.data());
        CompiledKernel writing = writings.kernel(cache.type());
        Memory memory = kernels.newMemory();
        long source = memory.pointer(from.data());
        long target = memory.pointer(cache.data());
        long together = from.rowStride() == depth ? rows : 1;
        try {
            for (long head = 0; head < heads; head++) {
                for (long row = 0; row < rows; row += together) {
                    long to = target + cache.offset(entry, head, length + row);
                    cache.write(writing, memory, source + from.offset(0, head, row), head, to, together);
                }
            }
        } finally {
            Reference.reachabilityFence(from);
            Reference.reachabilityFence(cache);
        }
    }

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
