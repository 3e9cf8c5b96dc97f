package dev.millrace.kernels.rank;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Kernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Extents;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Running sums of 32-bit elements along an axis, or products. Safe for use by several threads. */
public final class PrefixSum {
    /** Columns that are done together, so that a row of sums stays in the cache until the next one. */
    private static final long COLUMNS = 4096;

    private final KernelSet kernels;
    private final SumRule rule;
    private final Kernel rows;
    private final Kernel columns;

    public PrefixSum(KernelSet kernels, SumRule rule) {
        this.kernels = kernels;
        this.rule = rule;
        rows = kernels.kernel(SumsOfRow.key(rule));
        columns = kernels.kernel(SumsOfColumns.key(rule.type(), rule.exclusive()));
    }

    /** Sums up; the output may be the data itself, but must not overlap it otherwise. */
    public void run(AxisShape shape, MemorySegment data, MemorySegment out, Parallel parallel) {
        shape.check("the data", data);
        shape.check("the output", out);
        Extents.writable("the output", out);
        Extents.sameOrApart("the output", out, "the data", data, Float.BYTES * shape.elements());
        if (shape.elements() == 0) {
            return;
        }
        try {
            Lines.split(shape, parallel, (outer, inner, lines) -> {
                Memory memory = kernels.newMemory();
                long first = 4 * (outer * shape.count() * shape.inner() + inner);
                long from = memory.pointer(data) + first;
                long to = memory.pointer(out) + first;
                if (shape.inner() == 1) {
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
        long stride = 4 * shape.inner();
        long start = rule.reverse() ? (shape.count() - 1) * stride : 0;
        for (long done = 0; done < lines; done += COLUMNS) {
            long first = start + 4 * done;
            long some = Math.min(COLUMNS, lines - done);
            columns.call(memory, from + first, to + first, shape.count(), rule.reverse() ? -stride : stride, some, 0);
        }
    }
}
