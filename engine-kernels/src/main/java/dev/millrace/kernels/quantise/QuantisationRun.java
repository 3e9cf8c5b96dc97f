package dev.millrace.kernels.quantise;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;

/**
 * One pass over a tensor whose extents were checked, cut into parts for threads.
 *
 * @param bytesIn what two elements of x take, as bytesOut for y: one may be half a byte
 */
record QuantisationRun(
        KernelSet kernels,
        CompiledKernel kernel,
        MemorySegment x,
        long bytesIn,
        MemorySegment y,
        long bytesOut,
        Scales scales) {

    /** Parts of a row start at a multiple of this, so that no two threads write to the same cache line. */
    private static final long GRAIN = 128;

    void run(Parallel parallel) {
        int tasks = ParallelThresholds.tasks(scales.elements(), ParallelThresholds.ELEMENTS, parallel.width());
        long rows = scales.rows();
        if (tasks == 1) {
            rows(0, rows);
        } else if (rows >= tasks) {
            parallel.run(tasks, task -> rows(rows * task / tasks, rows * (task + 1) / tasks));
        } else {
            parallel.run(tasks, task -> partsOfRows(task, tasks));
        }
    }

    /** Rows up to the end of the axis at a time, since there the scales begin anew. */
    private void rows(long first, long end) {
        Memory memory = kernels.newMemory();
        long length = scales.rowLength();
        long turn = scales.isLast() ? Math.max(1, end) : scales.axis();
        for (long row = first; row < end; ) {
            long count = Math.min(turn - row % turn, end - row);
            call(memory, row * length, scales.isLast() ? 0 : row % turn, length, count);
            row += count;
        }
    }

    /** A part of each row: there are few of them. */
    private void partsOfRows(int task, int tasks) {
        Memory memory = kernels.newMemory();
        long length = scales.rowLength();
        long each = (length / tasks + GRAIN) / GRAIN * GRAIN;
        long from = Math.min(length, task * each);
        long count = Math.min(each, length - from);
        for (long row = 0; row < scales.rows() && count > 0; row++) {
            call(memory, row * length + from, scales.isLast() ? from : row % scales.axis(), count, 1);
        }
    }

    private void call(Memory memory, long element, long scale, long count, long rows) {
        kernel.call(
                memory,
                memory.pointer(x) + element * bytesIn / 2,
                memory.pointer(y) + element * bytesOut / 2,
                count,
                memory.pointer(scales.scales()) + 4 * scale,
                memory.pointer(scales.zeros()) + 4 * scale,
                rows);
    }
}
