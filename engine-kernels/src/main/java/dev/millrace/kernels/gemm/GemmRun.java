package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.Scratch;
import java.lang.foreign.MemorySegment;

/** One product whose extents were checked: cuts it into parts for threads. */
final class GemmRun {
    /** Multiplications and additions that are worth another thread. */
    private static final long MIN_WORK_PER_TASK = 1 << 18;

    private final GemmTiles tiles;
    private final GemmPanels panels;
    private final GemmShape shape;
    private final Scratch scratch;
    private final GemmProduct product;

    GemmRun(GemmTiles tiles, GemmPanels panels, GemmShape shape, Scratch scratch, GemmProduct product) {
        this.tiles = tiles;
        this.panels = panels;
        this.shape = shape;
        this.scratch = scratch;
        this.product = product;
    }

    void run(Parallel parallel) {
        long batches = product.batch().total();
        double work = (double) batches * product.m() * product.n() * product.k() / MIN_WORK_PER_TASK;
        int tasks = (int) Math.min(parallel.width(), Math.max(1, work));
        long count = Math.ceilDiv(product.n(), panels.columns());
        if (tasks == 1) {
            part(0, batches, 0, product.m(), 0, count);
        } else if (batches % tasks == 0 || batches >= 4L * tasks) {
            parallel.run(
                    tasks,
                    task -> part(batches * task / tasks, batches * (task + 1) / tasks, 0, product.m(), 0, count));
        } else if (splitsByPanels(tasks, count)) {
            int parts = (int) Math.min(tasks, count);
            parallel.run(
                    parts, task -> part(0, batches, 0, product.m(), count * task / parts, count * (task + 1) / parts));
        } else {
            parallel.run(
                    tasks,
                    task -> part(0, batches, product.m() * task / tasks, product.m() * (task + 1) / tasks, 0, count));
        }
    }

    private boolean splitsByPanels(int tasks, long count) {
        boolean even = count % tasks == 0 || count >= 4L * tasks;
        boolean tall = product.m() >= 2 * product.n();
        return even && !tall || Math.ceilDiv(product.m(), shape.rows()) < tasks;
    }

    /** Some rows of some panels of some products of the batch, on one thread. */
    private void part(long firstBatch, long endBatch, long firstRow, long endRow, long firstPanel, long endPanel) {
        MemorySegment own = scratch.atLeast(GemmBlock.ownBytes(panels, shape, product));
        GemmPart part = new GemmPart(tiles, panels, shape, own, product);
        for (long index = firstBatch; index < endBatch; index++) {
            part.run(index, firstRow, endRow, firstPanel, endPanel);
        }
    }
}
