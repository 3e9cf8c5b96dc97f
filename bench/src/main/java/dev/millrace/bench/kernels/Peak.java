package dev.millrace.bench.kernels;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/** Loops of a known amount of work that run as quickly as the machine can. Safe for use by several threads. */
final class Peak {
    private static final long OPERATIONS_PER_PRODUCT = 2;
    private static final long PRODUCTS_OF_BYTES_PER_LANE = 4;

    private final Lowering lowering;
    /** The kernels by kind of loop. */
    private final List<CompiledKernel> kernels;

    Peak(Lowering lowering) {
        this.lowering = lowering;
        List<Program> programs = new ArrayList<>();
        for (PeakLoop.Kind kind : PeakLoop.Kind.values()) {
            programs.add(PeakLoop.program(kind, lowering.target()));
        }
        kernels = lowering.lower(programs);
    }

    private CompiledKernel kernel(PeakLoop.Kind kind) {
        return kernels.get(kind.ordinal());
    }

    /** Does fp32 arithmetic on all threads; returns the number of multiplications and additions. */
    long multiplyAdds(long rounds, Parallel parallel) {
        return arithmetic(PeakLoop.Kind.MULTIPLY_ADD, rounds, parallel) * OPERATIONS_PER_PRODUCT;
    }

    /** Does arithmetic on bytes on all threads; returns the number of multiplications and additions. */
    long byteProducts(long rounds, Parallel parallel) {
        return arithmetic(PeakLoop.Kind.BYTE_PRODUCTS, rounds, parallel)
                * PRODUCTS_OF_BYTES_PER_LANE
                * OPERATIONS_PER_PRODUCT;
    }

    private long arithmetic(PeakLoop.Kind kind, long rounds, Parallel parallel) {
        CompiledKernel kernel = kernel(kind);
        int tasks = parallel.width();
        parallel.run(tasks, task -> call(kernel, MemorySegment.NULL, rounds));
        return tasks * rounds * PeakLoop.STEPS * lowering.target().lanes();
    }

    /** Reads memory on all threads, a part on each; returns the number of bytes read. */
    long read(MemorySegment memory, Parallel parallel) {
        CompiledKernel kernel = kernel(PeakLoop.Kind.READ);
        long round = (long) PeakLoop.STEPS * lowering.target().vectorBytes();
        int tasks = parallel.width();
        long rounds = memory.byteSize() / round / tasks;
        CallChecks.bytes("the memory", memory, tasks * rounds * round);
        parallel.run(tasks, task -> call(kernel, memory.asSlice(task * rounds * round, rounds * round), rounds));
        return tasks * rounds * round;
    }

    private void call(CompiledKernel kernel, MemorySegment from, long rounds) {
        Memory memory = lowering.newMemory();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(lowering.target().vectorBytes());
            kernel.call(memory, memory.pointer(from), memory.pointer(out), rounds, 0, 0, 0);
            Reference.reachabilityFence(from);
        }
    }
}
