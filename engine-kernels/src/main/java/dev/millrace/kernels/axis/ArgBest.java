package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** The position of the largest or smallest fp32 element along an axis. Safe for use by several threads. */
public final class ArgBest {
    private final KernelSet kernels;
    private final CompiledKernel rows;
    private final CompiledKernel shortRows;
    private final CompiledKernel columns;

    public ArgBest(KernelSet kernels, Best best) {
        this.kernels = kernels;
        rows = kernels.kernel(BestOfRow.key(best, false));
        shortRows = kernels.kernel(BestOfRow.key(best, true));
        columns = kernels.kernel(BestOfColumns.key(best));
    }

    /**
     * Writes the position along the axis for each line of elements.
     *
     * @param out numbers of 64 bits
     */
    public void run(AxisShape shape, MemorySegment data, MemorySegment out, Parallel parallel) {
        shape.check("the data", data);
        CallChecks.bytes("the output", out, Math.multiplyExact(8, shape.lines()));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the data", data);
        if (shape.lines() == 0) {
            return;
        }
        if (shape.count() == 0) {
            throw new IllegalArgumentException("none of no elements is the best");
        }
        try {
            Lines.split(shape, parallel, (outer, inner, lines) -> {
                Memory memory = kernels.newMemory();
                long from = memory.pointer(data) + 4 * (outer * shape.count() * shape.inner() + inner);
                long to = memory.pointer(out) + 8 * (outer * shape.inner() + inner);
                if (shape.inner() == 1) {
                    (BestOfRow.isShort(shape.count()) ? shortRows : rows)
                            .call(memory, from, to, lines, shape.count(), 0, 0);
                } else {
                    columns.call(memory, from, to, shape.count(), 4 * shape.inner(), lines, 0);
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
        }
    }
}
