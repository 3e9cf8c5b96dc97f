package dev.millrace.providers.cpu.recurrent;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The transpose of some rows of a weight matrix, one array per column, filled up with zero rows to a multiple of four. */
final class Panel {
    private Panel() {}

    static int padded(int extent) {
        return (extent + 3) & ~3;
    }

    /** Reads the rows {@code [row, row + rows)} of a matrix of {@code columns} columns at element {@code base}. */
    static void read(
            ElementType type,
            MemorySegment from,
            long base,
            int row,
            int rows,
            int columns,
            float[][] to,
            Scratch scratch) {
        float[] line = scratch.floats(0, columns);
        for (int r = 0; r < rows; r++) {
            Elements.read(type, from, base + (long) (row + r) * columns, line, 0, columns);
            for (int c = 0; c < columns; c++) {
                to[c][r] = line[c];
            }
        }
        for (int c = columns; c < padded(columns); c++) {
            Arrays.fill(to[c], 0, rows, 0f);
        }
    }
}
