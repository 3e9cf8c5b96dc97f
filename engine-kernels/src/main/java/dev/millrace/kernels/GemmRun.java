package dev.millrace.kernels;

import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmShape;
import dev.millrace.kernels.gemm.GemmTile;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;

/**
 * One product whose extents were checked: cuts it into parts for threads and blocks for caches, and calls the tiles.
 */
final class GemmRun {
    /** Multiplications and additions that are worth another thread. */
    private static final long MIN_WORK_PER_TASK = 1 << 18;
    /** Rows done at a time: with the depth of a block, what the second-level cache holds of A. */
    private static final long ROW_BLOCK = 192;

    private final GemmTiles tiles;
    private final GemmShape shape;
    private final GemmProduct product;
    private final int lanes;
    private final int panelColumns;
    private final long panels;

    GemmRun(GemmTiles tiles, GemmShape shape, GemmProduct product) {
        this.tiles = tiles;
        this.shape = shape;
        this.product = product;
        lanes = tiles.kernels().target().lanes();
        panelColumns = shape.vectors() * lanes;
        panels = (product.n() + panelColumns - 1) / panelColumns;
    }

    void run(Parallel parallel) {
        long work = Math.max(1, product.m() * product.n() * product.k() / MIN_WORK_PER_TASK);
        int tasks = (int) Math.min(parallel.width(), work);
        long rowTiles = (product.m() + shape.rows() - 1) / shape.rows();
        boolean byPanels = panels % tasks == 0 || panels >= 4L * tasks;
        boolean tall = product.m() >= 2 * product.n();
        if (tasks == 1) {
            part(0, product.m(), 0, panels);
        } else if (byPanels && !tall || rowTiles < tasks) {
            int parts = (int) Math.min(tasks, panels);
            parallel.run(parts, task -> part(0, product.m(), panels * task / parts, panels * (task + 1) / parts));
        } else {
            parallel.run(tasks, task -> part(product.m() * task / tasks, product.m() * (task + 1) / tasks, 0, panels));
        }
    }

    /** Some rows of some panels, on one thread. */
    private void part(long firstRow, long endRow, long firstPanel, long endPanel) {
        new Part(tiles.kernels().newMemory()).run(firstRow, endRow, firstPanel, endPanel);
    }

    private final class Part {
        private final Memory memory;
        private final long a;
        private final long packed;
        private final long c;
        private final long bias;

        Part(Memory memory) {
            this.memory = memory;
            a = memory.pointer(product.a());
            packed = memory.pointer(product.packed());
            c = memory.pointer(product.c());
            MemorySegment given = product.bias();
            bias = given == null ? 0 : memory.pointer(given);
        }

        /** A product over nothing still has its epilogue: it is done as one block of depth 0. */
        void run(long firstRow, long endRow, long firstPanel, long endPanel) {
            long k0 = 0;
            do {
                long depth = Math.min(shape.depth(), product.k() - k0);
                boolean last = k0 + depth >= product.k();
                boolean accumulate = product.accumulate() || k0 > 0;
                Epilogue epilogue = last ? product.epilogue() : Epilogue.NONE;
                for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
                    long rows = Math.min(ROW_BLOCK, endRow - row);
                    for (long panel = firstPanel; panel < endPanel; panel++) {
                        column(row, rows, panel, k0, depth, accumulate, epilogue);
                    }
                }
                k0 += depth;
            } while (k0 < product.k());
        }

        /** Tiles of nearly equal height down one panel: thirteen rows are done as 5, 4 and 4. */
        private void column(
                long row, long rows, long panel, long k0, long depth, boolean accumulate, Epilogue epilogue) {
            long count = (rows + shape.rows() - 1) / shape.rows();
            int high = (int) ((rows + count - 1) / count);
            long lowTiles = count * high - rows;
            long highTiles = count - lowTiles;
            call(row, highTiles, high, panel, k0, depth, accumulate, epilogue);
            if (lowTiles > 0) {
                call(row + highTiles * high, lowTiles, high - 1, panel, k0, depth, accumulate, epilogue);
            }
        }

        private void call(
                long row,
                long count,
                int height,
                long panel,
                long k0,
                long depth,
                boolean accumulate,
                Epilogue epilogue) {
            long column = panel * panelColumns;
            int width = (int) Math.min(panelColumns, product.n() - column);
            int vectors = (width + lanes - 1) / lanes;
            int tail = width - (vectors - 1) * lanes;
            long paddedColumns = (product.n() + lanes - 1) / lanes * lanes;
            Kernel kernel = tiles.tile(height, vectors, tail < lanes, accumulate, epilogue);
            kernel.call(
                    memory,
                    a + 4 * (row * product.lda() + k0),
                    packed + 4 * (k0 * paddedColumns + column * depth),
                    c + 4 * (row * product.ldc() + column),
                    bias == 0 ? 0 : bias + 4 * column,
                    4 * product.lda() | 4 * product.ldc() << 32,
                    depth | (long) tail << GemmTile.TAIL_SHIFT | count << 32);
        }
    }
}
