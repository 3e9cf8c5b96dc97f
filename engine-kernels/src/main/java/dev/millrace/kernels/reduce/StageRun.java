package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** A stage of a reduction with its kernels: cuts it into pieces for threads, and calls them. */
final class StageRun implements StageCall {
    /** The length up to which rows are reduced together, a vector of rows at a time. */
    private static final long SHORT_ROW = 512;
    /** Columns of a block, so that their results stay in the first-level cache. */
    private static final long COLUMN_BLOCK = 2048;

    private static final long COLUMN_GRAIN = 64;

    private final KernelSet kernels;
    private final ReduceStage stage;
    private final ReduceSteps.Kind kind;
    private final boolean shifts;
    private final int mostRows;
    private final @Nullable CompiledKernel rowsTogether;
    private final @Nullable CompiledKernel singleRow;
    /** The kernels of columns by the number of rows: those that start a sum, then those that accumulate. */
    private final @Nullable CompiledKernel[][] columns = new CompiledKernel[2][ReduceColumns.MAX_ROWS + 1];

    StageRun(KernelSet kernels, ReduceStage stage, ReduceSteps.Kind kind) {
        this.kernels = kernels;
        this.stage = stage;
        this.kind = kind;
        shifts = kind.before() == ReduceOp.Before.EXP;
        mostRows = shifts ? ReduceColumns.MAX_ROWS / 4 : ReduceColumns.MAX_ROWS;
        boolean isOfRows = stage.isOfRows();
        boolean together = isOfRows && !shifts && stage.partLength() <= SHORT_ROW;
        singleRow = isOfRows ? kernels.kernel(ReduceRows.key(kind, false)) : null;
        rowsTogether = together ? kernels.kernel(ReduceRows.key(kind, true)) : null;
        if (!isOfRows) {
            prepareColumns(stage.partLength());
            prepareColumns(stage.reduced() - (stage.parts() - 1) * stage.partLength());
        }
    }

    private void prepareColumns(long rows) {
        prepareColumns(0, (int) Math.min(rows, mostRows));
        if (rows >= 2L * mostRows) {
            prepareColumns(1, mostRows);
        }
        if (rows > mostRows && rows % mostRows > 0) {
            prepareColumns(1, (int) (rows % mostRows));
        }
    }

    private void prepareColumns(int accumulate, int rows) {
        columns[accumulate][rows] = kernels.kernel(ReduceColumns.key(kind, rows, accumulate == 1));
    }

    private static CompiledKernel of(@Nullable CompiledKernel kernel) {
        if (kernel == null) {
            throw new IllegalStateException("a kernel was not prepared");
        }
        return kernel;
    }

    @Override
    public void run(MemorySegment in, MemorySegment out, @Nullable MemorySegment shift, Parallel parallel) {
        long numbers = stage.outer() * stage.reduced() * stage.inner();
        int tasks = ParallelThresholds.tasks(numbers, ParallelThresholds.ELEMENTS, parallel.width());
        long blocks = stage.isOfRows() ? 1 : columnBlocks(Math.min(tasks, parallel.width()));
        long blockColumns = Math.ceilDiv(Math.ceilDiv(stage.inner(), blocks), COLUMN_GRAIN) * COLUMN_GRAIN;
        long units = stage.outer() * stage.parts() * blocks;
        int lanes = kernels.target().lanes();
        boolean together = rowsTogether != null;
        long grain = together ? lanes : 1;
        long pieces = Math.ceilDiv(units, grain);
        int count = (int) Math.min(tasks, pieces);
        if (count == 1) {
            part(in, out, shift, 0, units, blocks, blockColumns);
        } else {
            parallel.run(count, task -> {
                long first = pieces * task / count * grain;
                long end = Math.min(units, pieces * (task + 1) / count * grain);
                part(in, out, shift, first, end, blocks, blockColumns);
            });
        }
    }

    /** Returns the number of blocks of columns, with more of them where some threads would have nothing to do. */
    private long columnBlocks(long tasks) {
        long blocks = Math.ceilDiv(stage.inner(), COLUMN_BLOCK);
        boolean enough = stage.outer() * stage.parts() * blocks >= tasks;
        return enough ? blocks : Math.clamp(stage.inner() / COLUMN_GRAIN, 1, tasks);
    }

    private void part(
            MemorySegment in,
            MemorySegment out,
            @Nullable MemorySegment shift,
            long first,
            long end,
            long blocks,
            long blockColumns) {
        Memory memory = kernels.newMemory();
        long from = memory.pointer(in);
        long to = memory.pointer(out);
        long far = shift == null ? 0 : memory.pointer(shift);
        try {
            if (!stage.isOfRows()) {
                for (long unit = first; unit < end; unit++) {
                    columns(memory, from, to, far, unit / blocks, unit % blocks * blockColumns, blockColumns);
                }
            } else if (stage.parts() > 1) {
                for (long unit = first; unit < end; unit++) {
                    rowPart(memory, from, to, far, unit);
                }
            } else {
                rows(memory, from, to, far, first, end);
            }
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(shift);
        }
    }

    private void rows(Memory memory, long in, long out, long shift, long first, long end) {
        long bytes = kind.type().bytes(stage.reduced());
        long next = first;
        if (rowsTogether != null) {
            long together =
                    (end - first) / kernels.target().lanes() * kernels.target().lanes();
            rowsTogether.call(
                    memory, out + Float.BYTES * first, in + first * bytes, 0, together, stage.reduced(), bytes);
            next += together;
        }
        long to = out + Float.BYTES * next;
        long far = shift + Float.BYTES * next;
        of(singleRow).call(memory, to, in + next * bytes, far, end - next, stage.reduced(), bytes);
    }

    private void rowPart(Memory memory, long in, long out, long shift, long unit) {
        long row = unit / stage.parts();
        long start = unit % stage.parts() * stage.partLength();
        long length = Math.min(stage.partLength(), stage.reduced() - start);
        long from = in + kind.type().bytes(row * stage.reduced() + start);
        of(singleRow).call(memory, out + Float.BYTES * unit, from, shift + Float.BYTES * row, 1, length, 0);
    }

    /** Reduces some columns of one part. */
    private void columns(Memory memory, long in, long out, long shift, long part, long firstColumn, long blockColumns) {
        long width = Math.min(blockColumns, stage.inner() - firstColumn);
        if (width <= 0) {
            return;
        }
        long outer = part / stage.parts();
        long start = part % stage.parts() * stage.partLength();
        long left = Math.min(stage.partLength(), stage.reduced() - start);
        long stride = kind.type().bytes(stage.inner());
        long from =
                in + (outer * stage.reduced() + start) * stride + kind.type().bytes(firstColumn);
        long to = out + Float.BYTES * (part * stage.inner() + firstColumn);
        long far = shift + Float.BYTES * (outer * stage.inner() + firstColumn);
        int rows = (int) Math.min(left, mostRows);
        of(columns[0][rows]).call(memory, to, from, far, 1, width, stride);
        left -= rows;
        from += rows * stride;
        long groups = left / mostRows;
        if (groups > 0) {
            of(columns[1][mostRows]).call(memory, to, from, far, groups, width, stride);
        }
        int rest = (int) (left % mostRows);
        if (rest > 0) {
            from += groups * mostRows * stride;
            of(columns[1][rest]).call(memory, to, from, far, 1, width, stride);
        }
    }
}
