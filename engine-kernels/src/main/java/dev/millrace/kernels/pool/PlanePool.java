package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.nchw.PlaneOp;
import dev.millrace.kernels.conv.nchw.PlanePlanner;
import dev.millrace.kernels.conv.nchw.PlaneShape;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A pooling of plain images, a vector of windows of a row at a time. Safe for use by several threads. */
public final class PlanePool {
    private final WindowShape shape;
    private final CallPlan plan;
    private final long scratchBytes;
    private final @Nullable LostNorms lost;

    public PlanePool(KernelSet kernels, WindowShape shape, PoolingOperation pooling) {
        this.shape = shape;
        lost = pooling.isOfKernels() ? null : new LostNorms(shape, 1);
        var calls = new CallPlan.Builder(kernels);
        var planner = new PlanePlanner(planes(shape), images(), op(shape, pooling.op()), kernels.target(), calls);
        planner.plan();
        plan = calls.build();
        scratchBytes = planner.scratchBytes();
    }

    /**
     * Whether it can be done. The largest of what begins before a row or ends behind it is found only where such windows
     * see the end of the row: a NaN there must not be followed by anything but that end.
     */
    public static boolean fits(KernelSet kernels, WindowShape shape, PoolingOperation pooling) {
        return (pooling.isSum() || seesEnds(shape.width())) && PlanePlanner.fits(planes(shape), kernels.target());
    }

    private static boolean seesEnds(Axis width) {
        if (width.out() == 0) {
            return false;
        }
        int reach = (width.taps() - 1) * width.dilation();
        int last = width.start(width.out() - 1);
        boolean inside = width.start(0) >= 0 && last + reach < width.in();
        return inside || width.dilation() == 1 && width.start(0) + reach >= 0 && last < width.in();
    }

    /** Each channel is one. */
    private int images() {
        return Math.multiplyExact(shape.batch(), shape.channels());
    }

    private static PlaneShape planes(WindowShape shape) {
        return PlaneShape.sliding(1, 1, 1, shape.depth(), shape.height(), shape.width());
    }

    private static PlaneOp op(WindowShape shape, WindowOp op) {
        return new PlaneOp(op.op(), op.each(), op.after(), op.averages() ? new Counts(shape, op) : null);
    }

    private record Counts(WindowShape shape, WindowOp op) implements PlaneOp.Counts {
        @Override
        public long ofRow(int plane, int row) {
            return op.counted(shape.depth(), plane, shape.height(), row);
        }

        @Override
        public int ofColumn(int column) {
            return WindowOp.counted(shape.width(), column, op.countedColumns());
        }
    }

    /** Memory that a run wants for itself, on as many threads as a {@link Parallel} is wide. */
    public long scratchBytes(int width) {
        return scratchBytes * width;
    }

    /** @param scratch as many bytes as {@link #scratchBytes} says, for this run alone */
    public void run(MemorySegment in, MemorySegment out, MemorySegment scratch, Parallel parallel) {
        int channels = images();
        CallChecks.vector("the input", in, Math.multiplyExact(shape.inPixels(), channels));
        CallChecks.vector("the output", out, Math.multiplyExact(shape.outPixels(), channels));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the input", in);
        CallChecks.bytes("the scratch memory", scratch, scratchBytes(parallel.width()));
        CallChecks.writable("the scratch memory", scratch);
        plan.run(
                CallPlan.Operands.of(channels)
                        .with(Base.INPUT, in, 4 * shape.inPixels())
                        .with(Base.OUTPUT, out, 4 * shape.outPixels())
                        .withScratch(scratch, scratchBytes),
                parallel);
        if (lost != null) {
            lost.mend(in, out, parallel);
        }
    }
}
