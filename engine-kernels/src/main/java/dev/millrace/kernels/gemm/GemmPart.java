package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The share of one thread in a product, which it cuts into blocks for the caches. */
final class GemmPart {
    /** The rows of a block: A comes from the last-level cache in order, so the cost is how often B is read again. */
    static final long ROW_BLOCK = 384;
    /** The most rows for which B is read in place: packing it would cost more than it saves. */
    private static final long DIRECT_ROWS = 12;

    private final GemmPanels panels;
    private final GemmShape shape;
    private final GemmProduct product;
    private final Target target;
    /** The depth of a block, in elements of K. */
    private final long step;

    private final Memory memory;
    private final GemmBlock block;
    private final long b;
    private final long[] results;

    private long offsetOfB;
    private long offsetOfC;

    /** @param own memory of this part alone, of {@link GemmBlock#ownBytes} */
    GemmPart(GemmTiles tiles, GemmPanels panels, GemmShape shape, MemorySegment own, GemmProduct product) {
        this.panels = panels;
        this.shape = shape;
        this.product = product;
        target = tiles.kernels().target();
        step = shape.depthOf(product.k());
        memory = tiles.kernels().newMemory();
        block = new GemmBlock(tiles, panels, shape, own, product, memory);
        b = memory.pointer(product.b().memory());
        List<GemmProduct.Part> parts = product.parts();
        results = new long[parts.size()];
        for (int i = 0; i < results.length; i++) {
            results[i] = memory.pointer(parts.get(i).c().memory());
        }
    }

    /** Computes some rows of some panels of one product of the batch. */
    void run(long index, long firstRow, long endRow, long firstPanel, long endPanel, Parallel threads) {
        Batch batch = product.batch();
        block.startProduct(4 * batch.offsetOfA(index));
        offsetOfB = 4 * batch.offsetOfB(index);
        offsetOfC = product.epilogue().output().bytes() * batch.offsetOfC(index);
        if (block.sumsWait()) {
            for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
                for (long panel = firstPanel; panel < endPanel; panel++) {
                    threads.checkCancelled();
                    for (long k0 = 0; k0 < product.k(); k0 += step) {
                        block(row, Math.min(ROW_BLOCK, endRow - row), panel, 1, k0);
                    }
                }
            }
            return;
        }
        long k0 = 0;
        do {
            for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
                long rows = Math.min(ROW_BLOCK, endRow - row);
                int together = panelsAtOnce(rows);
                for (long panel = firstPanel; panel < endPanel; ) {
                    threads.checkCancelled();
                    int count = panel + together <= Math.min(endPanel, fullPanels()) ? together : 1;
                    block(row, rows, panel, count, k0);
                    panel += count;
                }
            }
            k0 += step;
        } while (k0 < product.k());
    }

    /**
     * Returns the number of panels to read at once. Where there are so few rows that reading B takes most of the time,
     * several streams are faster than one.
     */
    private int panelsAtOnce(long rows) {
        boolean possible = !product.b().isColumns() && results.length == 1;
        return possible ? shape.panelsAtOnce(rows, !product.b().isPacked(), target) : 1;
    }

    private long fullPanels() {
        return Math.ceilDiv(product.n(), target.lanes()) / shape.vectors();
    }

    /** Computes some rows times a part of some panels; a product with K = 0 is one block of depth 0. */
    private void block(long row, long rows, long panel, int count, long k0) {
        long depth = Math.min(step, product.k() - k0);
        long column = panel * panels.columns();
        int width = (int) Math.min((long) count * panels.columns(), product.n() - column);
        block.start(row, rows, k0, depth);
        Matrix right = product.b();
        long pointer = b + offsetOfB;
        long stride = 0;
        if (right.isPacked()) {
            pointer += panels.offset(product.n(), k0, depth, column);
        } else if (right.isColumns() || rows > DIRECT_ROWS) {
            panels.panel(memory, right, pointer, k0, depth, column, width, block.panelPointer());
            pointer = block.panelPointer();
        } else {
            pointer += 4 * (k0 * right.stride() + column);
            stride = 4 * right.stride();
        }
        for (int i = 0; i < results.length; i++) {
            GemmProduct.Part part = product.parts().get(i);
            long first = Math.max(column, part.first());
            long end = Math.min(column + width, part.end());
            if (first < end) {
                block.result(results[i] + offsetOfC, part);
                if (first == column && end == column + width) {
                    block.columns(first, width, count, pointer, stride);
                } else {
                    long own = stride != 0 ? stride : 4L * Math.ceilDiv(width, target.lanes()) * target.lanes();
                    block.columns(first, (int) (end - first), 1, pointer + 4 * (first - column), own);
                }
            }
        }
    }
}
