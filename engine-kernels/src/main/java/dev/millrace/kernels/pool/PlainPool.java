package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A pooling of plain images of one shape, channel by channel. Safe for use by several threads. */
public final class PlainPool {
    private static final long WORK_PER_TAP = 16;
    private static final long INT_BITS = 0xffff_ffffL;

    private final WindowShape shape;
    private final boolean indices;
    private final CallPlan plan;
    private final @Nullable LostNorms lost;

    /** @param indices whether it also tells where the largest elements are; with {@link PoolingOperation#max()} only */
    public PlainPool(KernelSet kernels, WindowShape shape, PoolingOperation pooling, boolean indices) {
        if (shape.inPixels() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a pooling of channels of " + shape.inPixels() + " elements");
        }
        this.shape = shape;
        this.indices = indices;
        lost = pooling.isOfKernels() ? null : new LostNorms(shape, 1);
        var calls = new CallPlan.Builder(kernels);
        for (int plane = 0; plane < shape.depth().out(); plane++) {
            for (int row = 0; row < shape.height().out(); row++) {
                call(kernels.target().lanes(), pooling.op(), plane, row, calls);
                calls.endUnit();
            }
        }
        plan = calls.build();
    }

    private void call(int lanes, WindowOp op, int plane, int row, CallPlan.Builder calls) {
        Axis depth = shape.depth();
        Axis height = shape.height();
        Axis width = shape.width();
        int columns = width.in();
        int firstPlane = depth.firstTap(plane);
        int firstRow = height.firstTap(row);
        int planes = depth.endTap(plane) - firstPlane;
        int rows = columns == 0 ? 0 : height.endTap(row) - firstRow;
        int startPlane = depth.start(plane) + firstPlane * depth.dilation();
        int startRow = height.start(row) + firstRow * height.dilation();
        boolean countsNone = columns == 0 && op.countedColumns() < 0;
        long counted = countsNone ? 0 : op.counted(depth, plane, height, row);
        long[] first = {
            width.out(),
            planes,
            rows,
            width.taps(),
            ((long) startPlane * height.in() + startRow) * columns,
            (long) height.dilation() * columns,
            (long) depth.dilation() * height.in() * columns,
            columns,
            (long) lanes * width.stride(),
            width.dilation(),
            (long) columns + Math.max(0, op.countedColumns()),
            Float.floatToRawIntBits(counted)
        };
        long[] sizes = Arrays.copyOf(first, first.length + lanes / 2);
        for (int lane = 0; lane < lanes; lane += 2) {
            sizes[first.length + lane / 2] = width.start(lane) & INT_BITS | (long) width.start(lane + 1) << 32;
        }
        long out = ((long) plane * height.out() + row) * width.out();
        calls.call(
                PlainWindow.key(op, indices),
                WORK_PER_TAP * width.out() * (1 + (long) planes * rows * width.taps()),
                Argument.at(Base.INPUT, 0),
                Argument.at(Base.OUTPUT, 4 * out),
                Argument.at(Base.OTHER, 4 * out),
                calls.sizes(sizes));
    }

    /**
     * @param places given if and only if the pooling tells them: for each output the place of its largest element in its
     *     channel, counted row by row, as an int; 0 where no element is larger than minus infinity
     */
    public void run(MemorySegment in, MemorySegment out, @Nullable MemorySegment places, Parallel parallel) {
        int channels = Math.multiplyExact(shape.batch(), shape.channels());
        CallChecks.vector("the input", in, Math.multiplyExact(shape.inPixels(), channels));
        CallChecks.vector("the output", out, Math.multiplyExact(shape.outPixels(), channels));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the input", in);
        if (indices != (places != null)) {
            throw new IllegalArgumentException(
                    indices ? "no memory for places is given" : "this pooling does not tell places");
        }
        if (places != null) {
            CallChecks.vector("the places", places, shape.outPixels() * channels);
            CallChecks.writable("the places", places);
            CallChecks.apart("the places", places, "the output", out);
            CallChecks.apart("the places", places, "the input", in);
        }
        plan.run(
                CallPlan.Operands.of(channels)
                        .with(Base.INPUT, in, 4 * shape.inPixels())
                        .with(Base.OUTPUT, out, 4 * shape.outPixels())
                        .with(Base.OTHER, places, 4 * shape.outPixels()),
                parallel);
        if (lost != null) {
            lost.mend(in, out, parallel);
        }
    }
}
