package dev.millrace.kernels.cast;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** A conversion by a kernel. */
final class KernelStage implements CastStage {
    private final KernelSet kernels;
    private final NumberType from;
    private final NumberType to;
    private final CompiledKernel kernel;

    KernelStage(KernelSet kernels, NumberType from, NumberType to, boolean streamed) {
        this.kernels = kernels;
        this.from = from;
        this.to = to;
        kernel = kernels.kernel(ConvertFamily.key(from, to, streamed));
    }

    @Override
    public NumberType from() {
        return from;
    }

    @Override
    public NumberType to() {
        return to;
    }

    @Override
    public void run(MemorySegment source, long sourceFirst, MemorySegment target, long targetFirst, long count) {
        Memory memory = kernels.newMemory();
        try {
            kernel.call(
                    memory,
                    memory.pointer(target) + to.bytes(targetFirst),
                    memory.pointer(source) + from.bytes(sourceFirst),
                    count,
                    0,
                    0,
                    1);
        } finally {
            Reference.reachabilityFence(source);
            Reference.reachabilityFence(target);
        }
    }
}
