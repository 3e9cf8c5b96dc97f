package dev.millrace.kernels.pool;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.reduce.OverflowSafeNorm;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The recomputation of norms of windows in doubles, where squares of floats overflowed or underflowed. */
final class LostNorms {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final WindowShape shape;
    private final int lanes;

    /** @param lanes channels in a block of the images, 1 for NCHW */
    LostNorms(WindowShape shape, int lanes) {
        this.shape = shape;
        this.lanes = lanes;
    }

    /**
     * Checks all norms and recomputes those that lost precision. A norm of zeros is recomputed, too, since only that
     * shows that the elements are zeros.
     */
    void mend(MemorySegment in, MemorySegment out, Parallel parallel) {
        long pixels = shape.outPixels();
        long norms = pixels * shape.batch() * shape.channels();
        RowPartitioner.run(norms, shape.taps(), parallel, (first, count) -> {
            for (long i = first; i < first + count; i++) {
                long plane = i / pixels;
                long at = place(plane, pixels, i % pixels);
                if (!OverflowSafeNorm.isWhole(out.getAtIndex(FLOAT, at))) {
                    out.setAtIndex(FLOAT, at, (float) norm(in, plane, i % pixels));
                }
            }
        });
    }

    /** Returns the index of a pixel of a channel of an image whose channels have {@code pixels} pixels. */
    private long place(long plane, long pixels, long pixel) {
        long channel = plane % shape.channels();
        long block = plane / shape.channels() * BlockedImages.blocks(lanes, shape.channels()) + channel / lanes;
        return (block * pixels + pixel) * lanes + channel % lanes;
    }

    private double norm(MemorySegment in, long plane, long pixel) {
        Axis depth = shape.depth();
        Axis height = shape.height();
        Axis width = shape.width();
        int column = (int) (pixel % width.out());
        int row = (int) (pixel / width.out() % height.out());
        int layer = (int) (pixel / width.out() / height.out());
        double sum = 0;
        for (int z = depth.firstTap(layer); z < depth.endTap(layer); z++) {
            for (int y = height.firstTap(row); y < height.endTap(row); y++) {
                long rows = (long) place(depth, layer, z) * height.in() + place(height, row, y);
                for (int x = width.firstTap(column); x < width.endTap(column); x++) {
                    long from = rows * width.in() + place(width, column, x);
                    double number = in.getAtIndex(FLOAT, place(plane, shape.inPixels(), from));
                    sum += number * number;
                }
            }
        }
        return Math.sqrt(sum);
    }

    private static int place(Axis axis, int output, int tap) {
        return axis.start(output) + tap * axis.dilation();
    }
}
