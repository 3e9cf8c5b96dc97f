package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy that looks up the input coordinate of each output coordinate, axis by axis, in a table, where {@link #FILL}
 * stands for outside. Trailing axes that stay as they are form one run of cells, and so do steps of one in a table.
 */
public final class Remap {
    public static final long FILL = -1;
    private static final long GRAIN_CELLS = 1 << 14;

    private final int size;
    private final long[] outerExtents;
    /** The offset in the input of each output coordinate, or FILL, by outer axis. */
    private final long[][] offsets;

    private final Run[] runs;
    private final long rowCells;
    private final long rows;

    /**
     * A part of a row: {@code count} cells at {@code to}, copied from {@code from} on by {@code step}, or filled where
     * negative.
     */
    private record Run(long to, long from, long step, long count) {}

    /**
     * @param tables one for each axis, as long as the output's extent; null where the axis stays as it is
     */
    public Remap(int size, Shape input, Shape output, long[] @Nullable [] tables) {
        this.size = size;
        int row = output.rank() - 1;
        while (row > 0 && tables[row] == null) {
            row--;
        }
        long[] strides = input.strides();
        row = Math.max(row, 0);
        this.outerExtents = Arrays.copyOf(output.toArray(), row);
        this.offsets = new long[row][];
        for (int axis = 0; axis < row; axis++) {
            offsets[axis] = scaled(tables[axis], outerExtents[axis], strides[axis]);
        }
        this.rows = output.elements(0, row);
        this.rowCells = output.elements(row, output.rank());
        if (output.rank() == 0) {
            this.runs = new Run[] {new Run(0, 0, 1, 1)};
        } else {
            long inner = output.elements(row + 1, output.rank());
            this.runs = runs(scaled(tables[row], output.dim(row), 1), inner);
        }
    }

    private static long[] scaled(long @Nullable [] table, long extent, long stride) {
        long[] scaled = new long[ArrayExtents.table("places along an axis", extent, Long.BYTES)];
        for (int i = 0; i < scaled.length; i++) {
            long from = table == null ? i : table[i];
            scaled[i] = from == FILL ? FILL : from * stride;
        }
        return scaled;
    }

    private static Run[] runs(long[] table, long inner) {
        List<Run> runs = new ArrayList<>();
        int start = 0;
        while (start < table.length) {
            boolean fill = table[start] == FILL;
            int end = start + 1;
            long step = inner > 1 || end == table.length ? 1 : table[end] - table[start];
            if (Math.abs(step) > 1 || fill) {
                step = 1;
            }
            while (end < table.length && (fill ? table[end] == FILL : follows(table, end, step))) {
                end++;
            }
            runs.add(new Run(start * inner, fill ? FILL : table[start] * inner, step, (end - start) * inner));
            start = end;
        }
        return runs.toArray(new Run[0]);
    }

    private static boolean follows(long[] table, int index, long step) {
        return table[index] != FILL && table[index] == table[index - 1] + step;
    }

    /**
     * Returns a launch that copies input 0 to output 0. Cells outside are filled from input {@code fillInput}, or with
     * {@code zero} where that is null.
     */
    public Launch launch(@Nullable Integer fillInput, MemorySegment zero) {
        if (rows * rowCells == 0) {
            return context -> {};
        }
        RangeTask task = (context, from, to, scratch) -> run(
                context.input(0),
                context.output(0),
                fillInput == null ? zero : context.input(fillInput),
                from,
                to,
                scratch);
        long grain = Math.max(1, GRAIN_CELLS / rowCells);
        return (LaunchContext context) -> context.parallelFor(rows, grain, task);
    }

    private void run(MemorySegment from, MemorySegment to, MemorySegment fill, long first, long end, Scratch scratch) {
        int rank = outerExtents.length;
        long[] at = scratch.longs(0, rank);
        long rest = first;
        for (int i = rank - 1; i >= 0; i--) {
            at[i] = rest % outerExtents[i];
            rest /= outerExtents[i];
        }
        for (long row = first; row < end; row++) {
            long source = 0;
            for (int i = 0; i < rank && source >= 0; i++) {
                long offset = offsets[i][(int) at[i]];
                source = offset == FILL ? FILL : source + offset;
            }
            copyRow(from, source, to, row * rowCells, fill);
            for (int i = rank - 1; i >= 0; i--) {
                if (++at[i] < outerExtents[i]) {
                    break;
                }
                at[i] = 0;
            }
        }
    }

    private void copyRow(MemorySegment from, long source, MemorySegment to, long target, MemorySegment fill) {
        if (source == FILL) {
            CellLoops.fill(size, fill, 0, to, target, rowCells);
            return;
        }
        for (Run run : runs) {
            if (run.from() == FILL) {
                CellLoops.fill(size, fill, 0, to, target + run.to(), run.count());
            } else if (run.step() == 1) {
                CellLoops.copy(size, from, source + run.from(), to, target + run.to(), run.count());
            } else {
                CellLoops.copy(size, from, source + run.from(), run.step(), to, target + run.to(), 1, run.count());
            }
        }
    }
}
