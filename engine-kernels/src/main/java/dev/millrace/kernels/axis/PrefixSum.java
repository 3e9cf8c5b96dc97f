package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Running sums along an axis, or products. Safe for use by several threads. */
public final class PrefixSum {
    /** Columns that are done together, so that a row of sums stays in the cache until the next one. */
    private static final long COLUMNS = 4096;

    private final KernelSet kernels;
    private final SumRule rule;
    private final long words;
    private final @Nullable CompiledKernel rows;
    private final CompiledKernel columns;

    public PrefixSum(KernelSet kernels, SumRule rule) {
        this.kernels = kernels;
        this.rule = rule;
        words = rule.type().words();
        rows = rule.type().isWide() ? null : kernels.kernel(SumsOfRow.key(rule));
        columns = kernels.kernel(SumsOfColumns.key(rule.type(), rule.exclusive()));
    }

    /**
     * Sums up; the output may be the data itself, but must not overlap it otherwise. Elements of 64 bits have others between
     * their neighbours.
     */
    public void run(AxisShape shape, MemorySegment data, MemorySegment out, Parallel parallel) {
        if (rows == null && shape.inner() == 1) {
            throw new IllegalArgumentException("elements of " + rule.type() + " are not summed up along rows");
        }
        long bytes = Math.multiplyExact(Float.BYTES * words, shape.elements());
        CallChecks.bytes("the data", data, bytes);
        CallChecks.bytes("the output", out, bytes);
        CallChecks.writable("the output", out);
        CallChecks.sameOrApart("the output", out, "the data", data, bytes);
        if (shape.elements() == 0) {
            return;
        }
        try {
            Lines.split(shape, parallel, (outer, inner, lines) -> {
                Memory memory = kernels.newMemory();
                long first = Float.BYTES * words * (outer * shape.count() * shape.inner() + inner);
                long from = memory.pointer(data) + first;
                long to = memory.pointer(out) + first;
                if (rows != null && shape.inner() == 1) {
                    rows.call(memory, from, to, lines, shape.count(), 0, 0);
                } else {
                    columns(memory, shape, from, to, lines);
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
        }
    }

    private void columns(Memory memory, AxisShape shape, long from, long to, long lines) {
        long stride = Float.BYTES * words * shape.inner();
        long start = rule.reverse() ? (shape.count() - 1) * stride : 0;
        long all = words * lines;
        for (long done = 0; done < all; done += COLUMNS) {
            long first = start + Float.BYTES * done;
            long some = Math.min(COLUMNS, all - done);
            columns.call(memory, from + first, to + first, shape.count(), rule.reverse() ? -stride : stride, some, 0);
        }
    }
}
