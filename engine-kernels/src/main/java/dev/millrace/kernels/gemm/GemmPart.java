package dev.millrace.kernels.gemm;

import dev.millrace.kernels.driver.Scratch;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** What one thread does of a product: cuts it into blocks for caches, and calls the tiles. */
final class GemmPart {
    /** Rows done at a time: with the depth of a block, what the second-level cache holds of A. */
    private static final long ROW_BLOCK = 192;
    /** So few rows at a time read B where it is: packing it would cost more than it saves. */
    private static final long DIRECT_ROWS = 12;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final GemmPanels panels;
    private final GemmShape shape;
    private final GemmProduct product;
    private final GemmTiles.WithEpilogue unfinished;
    private final GemmTiles.WithEpilogue finished;
    private final Memory memory;
    private final long a;
    private final long b;
    private final long[] results;
    private final long[] operands;
    private final MemorySegment arguments;
    private final long argumentsPointer;
    /** Where a panel of B is packed, if it has to be, and where sums wait that cannot wait in C. */
    private final long panelPointer;

    private final long sumsPointer;
    /** Whether C cannot hold the sums while K is not done. */
    private final boolean sumsWait;

    private long offsetOfA;
    private long offsetOfB;
    private long offsetOfC;

    GemmPart(GemmTiles tiles, GemmPanels panels, GemmShape shape, Scratch scratch, GemmProduct product) {
        this.panels = panels;
        this.shape = shape;
        this.product = product;
        unfinished = tiles.with(Epilogue.NONE);
        finished = tiles.with(product.epilogue());
        memory = tiles.kernels().newMemory();
        a = memory.pointer(product.a().memory());
        b = memory.pointer(product.b().memory());
        List<GemmProduct.Part> parts = product.parts();
        results = new long[parts.size()];
        for (int i = 0; i < results.length; i++) {
            results[i] = memory.pointer(parts.get(i).c().memory());
        }
        operands = new long[product.operands().size()];
        for (int i = 0; i < operands.length; i++) {
            operands[i] = memory.pointer(product.operands().get(i).memory());
        }
        sumsWait = product.epilogue().output() != Output.F32 && product.k() > shape.depth();
        long panelBytes = 4L * shape.depth() * panels.columns();
        long sumsBytes = 4L * ROW_BLOCK * panels.columns();
        arguments = scratch.atLeast(GemmTile.ARGUMENT_BYTES + panelBytes + sumsBytes);
        argumentsPointer = memory.pointer(arguments);
        panelPointer = argumentsPointer + GemmTile.ARGUMENT_BYTES;
        sumsPointer = panelPointer + panelBytes;
    }

    /** Some rows of some panels of one product of the batch. */
    void run(long index, long firstRow, long endRow, long firstPanel, long endPanel) {
        Batch batch = product.batch();
        offsetOfA = 4 * batch.offsetOfA(index);
        offsetOfB = 4 * batch.offsetOfB(index);
        offsetOfC = product.epilogue().output().bytes() * batch.offsetOfC(index);
        if (!sumsWait) {
            long k0 = 0;
            do {
                for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
                    for (long panel = firstPanel; panel < endPanel; panel++) {
                        block(row, Math.min(ROW_BLOCK, endRow - row), panel, k0);
                    }
                }
                k0 += shape.depth();
            } while (k0 < product.k());
            return;
        }
        for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
            for (long panel = firstPanel; panel < endPanel; panel++) {
                for (long k0 = 0; k0 < product.k(); k0 += shape.depth()) {
                    block(row, Math.min(ROW_BLOCK, endRow - row), panel, k0);
                }
            }
        }
    }

    /** Some rows times a part of one panel; a product over nothing is one block of depth 0. */
    private void block(long row, long rows, long panel, long k0) {
        long depth = Math.min(shape.depth(), product.k() - k0);
        long column = panel * panels.columns();
        int width = (int) Math.min(panels.columns(), product.n() - column);
        Matrix right = product.b();
        long pointer = b + offsetOfB;
        long stride = 0;
        if (right.isPacked()) {
            pointer += panels.offset(product.n(), k0, depth, column);
        } else if (right.isColumns() || rows > DIRECT_ROWS) {
            panels.panel(memory, right, pointer, k0, depth, column, width, panelPointer);
            pointer = panelPointer;
        } else {
            pointer += 4 * (k0 * right.stride() + column);
            stride = 4 * right.stride();
        }
        List<GemmProduct.Part> parts = product.parts();
        for (int i = 0; i < results.length; i++) {
            GemmProduct.Part part = parts.get(i);
            long first = Math.max(column, part.first());
            long end = Math.min(column + width, part.end());
            if (first == column && end == column + width) {
                columns(row, rows, i, first, width, k0, depth, pointer, stride);
            } else if (first < end) {
                long own = stride != 0 ? stride : 4L * Math.ceilDiv(width, panels.lanes()) * panels.lanes();
                columns(row, rows, i, first, (int) (end - first), k0, depth, pointer + 4 * (first - column), own);
            }
        }
    }

    /**
     * Tiles of nearly equal height down some columns of one result: thirteen rows are done as 5, 4 and 4.
     *
     * @param stride bytes between the rows of B, or 0 if they are packed to whole vectors of this width
     */
    private void columns(
            long row, long rows, int result, long column, int width, long k0, long depth, long right, long stride) {
        GemmProduct.Part part = product.parts().get(result);
        boolean last = k0 + depth >= product.k();
        boolean toSums = sumsWait && !last;
        long columnOfBlock = column % panels.columns();
        long sums = sumsPointer + 4 * columnOfBlock;
        int bytes = product.epilogue().output().bytes();
        long ldc = toSums ? 4L * panels.columns() : bytes * part.c().stride();
        long c = toSums
                ? sums
                : results[result] + offsetOfC + bytes * (row * part.c().stride() + column - part.first());
        long count = Math.ceilDiv(rows, shape.rows());
        int high = (int) Math.ceilDiv(rows, count);
        long highTiles = rows - count * (high - 1);
        arguments.set(LONG, GemmTileWriter.B_STRIDE, stride);
        arguments.set(LONG, GemmTileWriter.EARLIER_STRIDE, 4L * panels.columns());
        long done = 0;
        for (int height = high; done < rows; height--) {
            long tiles = height == high ? highTiles : count - highTiles;
            arguments.set(LONG, GemmTileWriter.EARLIER, sums + 4 * done * panels.columns());
            operands(row + done, column);
            int vectors = Math.ceilDiv(width, panels.lanes());
            int tail = width - (vectors - 1) * panels.lanes();
            Kernel kernel = (last ? finished : unfinished)
                    .tile(
                            height,
                            vectors,
                            tail < panels.lanes(),
                            product.accumulate() || k0 > 0,
                            product.a().isColumns(),
                            stride != 0);
            kernel.call(
                    memory,
                    left(row + done, k0),
                    right,
                    c + done * ldc,
                    argumentsPointer,
                    4 * product.a().stride() | ldc << 32,
                    depth | (long) tail << GemmTile.TAIL_SHIFT | tiles << 32);
            done += tiles * height;
        }
    }

    private long left(long row, long k0) {
        Matrix left = product.a();
        return a + offsetOfA + 4 * (left.isColumns() ? k0 * left.stride() + row : row * left.stride() + k0);
    }

    private void operands(long row, long column) {
        List<Operand> kinds = product.epilogue().operands();
        for (int i = 0; i < operands.length; i++) {
            long stride = product.operands().get(i).stride();
            long first = switch (kinds.get(i)) {
                case COLUMN -> column;
                case ROW -> row;
                case ELEMENT -> row * stride + column;
                case SINGLE -> 0;
            };
            int slot = EpilogueWriter.OPERANDS + i * EpilogueWriter.BYTES_PER_OPERAND;
            arguments.set(LONG, slot, operands[i] + 4 * first);
            arguments.set(LONG, slot + EpilogueWriter.STRIDE, 4 * stride);
        }
    }
}
