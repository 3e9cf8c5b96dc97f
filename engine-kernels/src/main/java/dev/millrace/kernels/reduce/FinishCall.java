package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.reduce.ReduceOp.After;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** The final operation on the results of a reduction, with its kernel. */
final class FinishCall {
    private final KernelSet kernels;
    private final CompiledKernel kernel;
    private final float divisor;

    /** @param divisor the divisor, where {@code after} divides */
    FinishCall(KernelSet kernels, After after, NumberType type, float divisor) {
        this.kernels = kernels;
        this.divisor = divisor;
        kernel = kernels.kernel(ReduceFinish.key(after, type));
    }

    /** @param shift a float for each result, where one is added */
    void run(MemorySegment in, MemorySegment out, @Nullable MemorySegment shift, long count) {
        Memory memory = kernels.newMemory();
        long far = shift == null ? 0 : memory.pointer(shift);
        try {
            kernel.call(
                    memory, memory.pointer(out), memory.pointer(in), far, count, Float.floatToRawIntBits(divisor), 0);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(shift);
        }
    }
}
