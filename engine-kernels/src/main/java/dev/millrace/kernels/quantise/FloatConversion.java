package dev.millrace.kernels.quantise;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelCache;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Floats of one type to another, rounded to nearest even. Safe for use by several threads. */
public final class FloatConversion {
    /** Less than this is not worth another thread. */
    private static final long MIN_PER_TASK = 32 * 1024;
    /** Parts start at a multiple of this, so that no two threads write to the same cache line. */
    private static final long GRAIN = 64;

    private record Types(FloatType from, FloatType to) {}

    private final KernelSet kernels;
    private final KernelCache<Types> variants;

    public FloatConversion(KernelSet kernels) {
        this.kernels = kernels;
        variants = new KernelCache<>(kernels, types -> ConvertRows.key(types.from(), types.to()));
    }

    /** Converts so many floats that lie close together. */
    public void run(MemorySegment x, FloatType from, MemorySegment y, FloatType to, long elements, Parallel parallel) {
        Extents.bytes("x", x, Math.multiplyExact(elements, from.bytes()));
        Extents.bytes("y", y, Math.multiplyExact(elements, to.bytes()));
        Extents.writable("y", y);
        int tasks = (int) Math.clamp(elements / MIN_PER_TASK, 1, parallel.width());
        long each = (elements / tasks + GRAIN) / GRAIN * GRAIN;
        try {
            parallel.run(tasks, task -> {
                long first = Math.min(elements, task * each);
                part(x, from, y, to, first, Math.min(each, elements - first));
            });
        } finally {
            Reference.reachabilityFence(x);
            Reference.reachabilityFence(y);
        }
    }

    private void part(MemorySegment x, FloatType from, MemorySegment y, FloatType to, long first, long count) {
        Memory memory = kernels.newMemory();
        variants.kernel(new Types(from, to))
                .call(
                        memory,
                        memory.pointer(x) + first * from.bytes(),
                        memory.pointer(y) + first * to.bytes(),
                        count,
                        0,
                        0,
                        1);
    }
}
