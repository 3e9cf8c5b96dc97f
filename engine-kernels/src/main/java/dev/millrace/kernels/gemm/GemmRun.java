package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A run of one product, whose extents were checked: cuts it into parts for threads. */
final class GemmRun implements IntConsumer {
    private static final long ALIGNMENT = 64;
    /** The dimension by which the work is cut. */
    private enum Split {
        PRODUCTS,
        PANELS,
        ROWS
    }

    private final GemmTiles tiles;
    private final GemmPanels panels;
    private final GemmShape shape;
    private final DriverScratch scratch;
    private final GemmProduct product;
    /** Memory for the parts of a bound product, or null where each thread uses its own scratch memory. */
    private final @Nullable MemorySegment own;

    private final @Nullable GemmPart[] parts;
    private Parallel threads = Parallel.NONE;
    private Split split = Split.PRODUCTS;
    private int tasks = 1;

    GemmRun(GemmTiles tiles, GemmPanels panels, GemmShape shape, DriverScratch scratch, GemmProduct product) {
        this(tiles, panels, shape, scratch, product, null, 0);
    }

    /** @param own {@link #ownBytes} for each of the threads */
    GemmRun(
            GemmTiles tiles,
            GemmPanels panels,
            GemmShape shape,
            DriverScratch scratch,
            GemmProduct product,
            @Nullable MemorySegment own,
            int threads) {
        this.tiles = tiles;
        this.panels = panels;
        this.shape = shape;
        this.scratch = scratch;
        this.product = product;
        this.own = own;
        parts = new GemmPart[threads];
    }

    /** The bytes of memory that one thread needs. */
    static long ownBytes(GemmPanels panels, GemmShape shape, GemmProduct product) {
        return aligned(GemmBlock.ownBytes(panels, shape, product));
    }

    static long aligned(long bytes) {
        return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
    }

    void run(Parallel parallel) {
        threads = parallel;
        long batches = product.batch().total();
        long worth = product.m() < shape.rows() ? ParallelThresholds.SLOW_PRODUCTS : ParallelThresholds.PRODUCTS;
        double elements = (double) batches * product.n() * product.k();
        int most = ParallelThresholds.tasks(elements * product.m(), worth, Float.BYTES * elements, parallel.width());
        long count = Math.ceilDiv(product.n(), panels.columns());
        tasks = most;
        if (most == 1 || batches % most == 0 || batches >= 4L * most) {
            split = Split.PRODUCTS;
        } else if (splitsByPanels(most, count)) {
            split = Split.PANELS;
            tasks = (int) Math.min(most, count);
        } else {
            split = Split.ROWS;
        }
        if (tasks == 1) {
            accept(0);
        } else {
            parallel.run(tasks, this);
        }
    }

    /** Runs one of the tasks. */
    @Override
    public void accept(int task) {
        long batches = product.batch().total();
        long count = Math.ceilDiv(product.n(), panels.columns());
        long m = product.m();
        switch (split) {
            case PRODUCTS -> part(task, batches * task / tasks, batches * (task + 1) / tasks, 0, m, 0, count);
            case PANELS -> part(task, 0, batches, 0, m, count * task / tasks, count * (task + 1) / tasks);
            case ROWS -> part(task, 0, batches, m * task / tasks, m * (task + 1) / tasks, 0, count);
        }
    }

    private boolean splitsByPanels(int tasks, long count) {
        boolean even = count % tasks == 0 || count >= 4L * tasks;
        boolean tall = product.m() >= 2 * product.n();
        return even && !tall || Math.ceilDiv(product.m(), shape.rows()) < tasks;
    }

    /** Computes some rows of some panels of some products of the batch, on one thread. */
    private void part(
            int task, long firstBatch, long endBatch, long firstRow, long endRow, long firstPanel, long endPanel) {
        GemmPart part = part(task);
        for (long index = firstBatch; index < endBatch; index++) {
            part.run(index, firstRow, endRow, firstPanel, endPanel, threads);
        }
    }

    private GemmPart part(int task) {
        if (own == null) {
            MemorySegment memory = scratch.atLeast(GemmBlock.ownBytes(panels, shape, product));
            return new GemmPart(tiles, panels, shape, memory, product);
        }
        GemmPart part = parts[task];
        if (part == null) {
            long bytes = ownBytes(panels, shape, product);
            part = new GemmPart(tiles, panels, shape, own.asSlice(task * bytes, bytes), product);
            parts[task] = part;
        }
        return part;
    }
}
