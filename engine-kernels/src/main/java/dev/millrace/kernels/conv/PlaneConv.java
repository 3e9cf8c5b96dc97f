package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.nchw.PlaneOp;
import dev.millrace.kernels.conv.nchw.PlanePart;
import dev.millrace.kernels.conv.nchw.PlanePlanner;
import dev.millrace.kernels.conv.nchw.PlaneShape;
import dev.millrace.kernels.conv.nchw.PlaneShape.Extent;
import dev.millrace.kernels.conv.nchw.PlaneWeights;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A convolution or transposed convolution from NCHW images to NCHW images, for those of few channels. Safe for use by
 * several threads.
 *
 * <p>Windows that reach over the ends of a row multiply zeros there: a weight that is infinite or NaN makes the results
 * of such windows NaN.
 */
public final class PlaneConv implements PacksWeights {
    private final ConvShape forward;
    private final boolean transposed;
    private final PlaneShape planes;
    private final PlaneWeights weights;
    private final boolean residual;
    private final String layout;
    private final CallPlan plan;
    private final long scratchBytes;

    private PlaneConv(KernelSet kernels, ConvShape forward, boolean transposed, PlaneShape planes, Expr after) {
        this.forward = forward;
        this.transposed = transposed;
        this.planes = planes;
        weights = new PlaneWeights(planes);
        residual = ImageEpilogues.readsResidual(ImageEpilogues.checked(after));
        if (residual && planes.width().size() > 1) {
            throw new IllegalArgumentException("a residual lies where results are put, not where they are computed");
        }
        layout = (transposed ? "transposed " : "") + weights.name(kernels.target());
        var calls = new CallPlan.Builder(kernels);
        var planner = new PlanePlanner(planes, forward.batch(), PlaneOp.weighted(after), kernels.target(), calls);
        planner.plan();
        plan = calls.build();
        scratchBytes = planner.scratchBytes();
    }

    /**
     * Creates a convolution.
     *
     * @param after the epilogue: input 0 is the sum, input 1 the element of the residual at the same position
     */
    public static PlaneConv of(KernelSet kernels, ConvShape shape, Expr after) {
        return new PlaneConv(kernels, shape, false, planes(shape.flattened()), after);
    }

    /**
     * Creates a transposed convolution.
     *
     * @param forward the convolution that is transposed; its outputs are the inputs here
     * @param after the epilogue; a residual is read only where the width has a stride of 1
     */
    public static PlaneConv transposed(KernelSet kernels, ConvShape forward, Expr after) {
        return new PlaneConv(kernels, forward, true, transposedPlanes(forward), after);
    }

    /** Whether the bands of such images are small enough for this method. */
    public static boolean fits(KernelSet kernels, ConvShape shape) {
        return PlanePlanner.fits(planes(shape.flattened()), kernels.target());
    }

    /** Whether the bands of such images are small enough for this method. */
    public static boolean fitsTransposed(KernelSet kernels, ConvShape forward) {
        return PlanePlanner.fits(transposedPlanes(forward), kernels.target());
    }

    private static PlaneShape planes(ConvShape shape) {
        return PlaneShape.sliding(
                shape.groups(),
                shape.groupChannels(),
                shape.groupOutChannels(),
                shape.depth(),
                shape.height(),
                shape.width());
    }

    private static PlaneShape transposedPlanes(ConvShape forward) {
        Axis depth = forward.depth();
        Axis height = forward.height();
        Axis width = forward.width();
        return new PlaneShape(
                forward.groups(),
                forward.groupOutChannels(),
                forward.groupChannels(),
                new Extent(depth.out(), height.out(), width.out()),
                new Extent(depth.in(), height.in(), width.in()),
                new Extent(depth.taps(), height.taps(), width.taps()),
                parts(depth),
                parts(height),
                parts(width));
    }

    private static List<PlanePart> parts(Axis forward) {
        List<PlanePart> parts = new ArrayList<>();
        for (int i = 0; i < forward.stride(); i++) {
            Phase phase = Phase.of(forward, i);
            int lastTap = phase.firstTap() + (phase.axis().taps() - 1) * phase.tapStep();
            parts.add(new PlanePart(phase.axis(), i, forward.stride(), lastTap, -phase.tapStep()));
        }
        return parts;
    }

    /** The size of the packed weights in bytes. */
    public long packedBytes() {
        return weights.bytes();
    }

    @Override
    public String packedLayout() {
        return layout;
    }

    /** The scratch memory of a run in bytes, on as many threads as a {@link Parallel} is wide. */
    public long scratchBytes(int width) {
        return scratchBytes * width;
    }

    /**
     * Packs weights in the order that {@link Conv} and {@link TransposedConv} take, with the bias of each output
     * channel if there is one.
     */
    public void pack(MemorySegment segment, @Nullable MemorySegment bias, MemorySegment packed) {
        CallChecks.vector("the weights", segment, forward.weightElements());
        if (bias != null) {
            CallChecks.vector("the bias", bias, (long) planes.groups() * planes.outChannels());
        }
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        weights.pack(segment, transposed ? this::transposedIndex : this::index, bias, packed);
    }

    private long index(int outChannel, int tap) {
        return (long) outChannel * planes.weights() + tap;
    }

    private long transposedIndex(int outChannel, int tap) {
        int taps = forward.taps();
        int group = outChannel / planes.outChannels();
        long channel = (long) group * planes.channels() + tap / taps;
        return (channel * planes.outChannels() + outChannel % planes.outChannels()) * taps + tap % taps;
    }

    /**
     * Computes {@code out = after(conv(in) + bias, residual)}.
     *
     * @param other the residual, given if and only if the epilogue reads it; in the same layout as the output
     * @param scratch as many bytes as {@link #scratchBytes} says, for this run alone
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            MemorySegment scratch,
            Parallel parallel) {
        long inImage = planes.in().all() * planes.channels() * planes.groups();
        long outImage = planes.out().all() * planes.outChannels() * planes.groups();
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.bytes("the scratch memory", scratch, scratchBytes(parallel.width()));
        CallChecks.writable("the scratch memory", scratch);
        var operands = new ConvOperands(forward.batch(), in, inImage, packed, other, out, outImage, scratch);
        operands.check(residual);
        try {
            plan.run(operands.forCalls().withScratch(scratch, scratchBytes), parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }
}
