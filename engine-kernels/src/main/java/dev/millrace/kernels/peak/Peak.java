package dev.millrace.kernels.peak;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.Extents;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Kernel;
import dev.millrace.codegen.program.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Work of a known amount that is done as quickly as the machine can. Safe for use by several threads. */
public final class Peak {
    private static final long OPERATIONS_PER_PRODUCT = 2;
    private static final long PRODUCTS_OF_BYTES_PER_LANE = 4;

    private final KernelSet kernels;

    public Peak(KernelSet kernels) {
        this.kernels = kernels;
    }

    /** Does fp32 arithmetic on all threads; gives the number of multiplications and additions that were done. */
    public long multiplyAdds(long rounds, Parallel parallel) {
        return arithmetic(PeakLoop.Kind.MULTIPLY_ADD, rounds, parallel) * OPERATIONS_PER_PRODUCT;
    }

    /** Does arithmetic on bytes on all threads; gives the number of multiplications and additions that were done. */
    public long byteProducts(long rounds, Parallel parallel) {
        return arithmetic(PeakLoop.Kind.BYTE_PRODUCTS, rounds, parallel)
                * PRODUCTS_OF_BYTES_PER_LANE
                * OPERATIONS_PER_PRODUCT;
    }

    private long arithmetic(PeakLoop.Kind kind, long rounds, Parallel parallel) {
        Kernel kernel = kernels.kernel(PeakLoop.key(kind));
        int tasks = parallel.width();
        parallel.run(tasks, task -> call(kernel, MemorySegment.NULL, rounds));
        return tasks * rounds * PeakLoop.STEPS * kernels.target().lanes();
    }

    /** Reads memory on all threads, a part on each; gives the number of bytes that were read. */
    public long read(MemorySegment memory, Parallel parallel) {
        Kernel kernel = kernels.kernel(PeakLoop.key(PeakLoop.Kind.READ));
        long round = (long) PeakLoop.STEPS * kernels.target().vectorBytes();
        int tasks = parallel.width();
        long rounds = memory.byteSize() / round / tasks;
        Extents.bytes("the memory", memory, tasks * rounds * round);
        parallel.run(tasks, task -> call(kernel, memory.asSlice(task * rounds * round, rounds * round), rounds));
        return tasks * rounds * round;
    }

    private void call(Kernel kernel, MemorySegment from, long rounds) {
        Memory memory = kernels.newMemory();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(kernels.target().vectorBytes());
            kernel.call(memory, memory.pointer(from), memory.pointer(out), rounds, 0, 0, 0);
            Reference.reachabilityFence(from);
        }
    }
}
