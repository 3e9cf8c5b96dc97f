package dev.millrace.providers.simd.rule.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.PlaneConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.PlaneCost;
import dev.millrace.providers.simd.weights.Layout;
import org.jspecify.annotations.Nullable;

/**
 * A convolution to few channels, or a transposed one, directly over planes (NCHW): neither images nor results are in
 * blocks of channels.
 */
final class PlaneRoot extends ImageRoot {
    private final ValueState in;
    private final ConvShape shape;
    private final boolean transposed;
    private final ConvWeights weights;

    private PlaneRoot(
            PartitionCompiler lowering, ValueState in, ConvShape shape, boolean transposed, ConvWeights weights) {
        super(lowering);
        this.in = in;
        this.shape = shape;
        this.transposed = transposed;
        this.weights = weights;
    }

    static PlaneRoot of(PartitionCompiler lowering, ValueState in, ConvShape shape, ConvWeights weights) {
        return new PlaneRoot(lowering, in, shape, false, weights);
    }

    /** @param forward the convolution that is transposed */
    static PlaneRoot transposed(PartitionCompiler lowering, ValueState in, ConvShape forward, ConvWeights weights) {
        return new PlaneRoot(lowering, in, forward, true, weights);
    }

    /** Whether a convolution is faster over planes than in blocks of channels, most of which would be empty. */
    static boolean pays(LoweringContext op, ValueState in, ConvShape shape) {
        int block = op.environment().block();
        if (2 * shape.outChannels() > block || isInBlocks(op, in)) {
            return false;
        }
        boolean pointwise = shape.taps() == 1 && shape.inPixels() == shape.outPixels();
        int columns = pointwise
                ? Math.toIntExact(Math.min(shape.outPixels(), Integer.MAX_VALUE))
                : shape.width().out();
        boolean plainInput = shape.groups() == 1 && 2 * shape.channels() <= block;
        double seen = (double) shape.inPixels() / shape.outPixels();
        boolean depthwise = shape.groups() == shape.channels() && shape.groups() == shape.outChannels();
        int blocks = depthwise ? 1 : shape.groups();
        double weights = (double) shape.groupChannels() * shape.taps();
        double planes = PlaneCost.of(shape.outChannels() * weights, columns, block)
                + PlaneCost.ofInputs(shape.channels() * seen, shape.width().stride() > 1, block);
        double blocked = blocks * weights
                + PlaneCost.REORDER * (1 + (plainInput ? 0 : seen * Math.ceilDiv(shape.channels(), block)));
        return planes < blocked && PlaneConv.fits(op.environment().kernels(), shape);
    }

    /** Whether a transposed convolution is faster over planes than in blocks of channels. */
    static boolean paysTransposed(LoweringContext op, ValueState in, ConvShape forward) {
        int block = op.environment().block();
        if (2 * forward.channels() > block || isInBlocks(op, in)) {
            return false;
        }
        double seen = (double) forward.outPixels() / forward.inPixels();
        double blocked = forward.groups() * weights(forward)
                + PlaneCost.REORDER * (1 + seen * Math.ceilDiv(forward.outChannels(), block));
        return costTransposed(forward, block) < blocked
                && PlaneConv.fitsTransposed(op.environment().kernels(), forward);
    }

    /** The cost of a transposed convolution for a pixel of the output. */
    static double costTransposed(ConvShape forward, int block) {
        double seen = (double) forward.outPixels() / forward.inPixels();
        return PlaneCost.of(
                        forward.channels() * weights(forward), forward.width().out(), block)
                + PlaneCost.ofInputs(forward.outChannels() * seen, false, block)
                + PlaneCost.ofInputs(forward.width().stride() == 1 ? 0 : forward.channels(), true, block);
    }

    /** The number of weights of one output channel of a transposed convolution, for each of its pixels. */
    private static double weights(ConvShape forward) {
        return (double) forward.groupOutChannels() * forward.taps() * forward.outPixels() / forward.inPixels();
    }

    private static boolean isInBlocks(LoweringContext op, ValueState in) {
        op.lowering().materialise(in);
        return in.isBlockedOnly();
    }

    private PlaneConv conv(Expr after) {
        KernelSet kernels = lowering().environment().kernels();
        return transposed ? PlaneConv.transposed(kernels, shape, after) : PlaneConv.of(kernels, shape, after);
    }

    @Override
    void add(ValueState result, Expr after, @Nullable ValueState residual) {
        PlaneConv conv = conv(after);
        View from = lowering().dense(in);
        View other = residual == null ? null : lowering().dense(residual);
        View packed = weights.packed(Layout.forAllShapes(conv.packedLayout(), conv.packedBytes()), conv::pack);
        View to = lowering().allocate(result);
        var views = new ConvViews(from, packed, other, to);
        long work = shape.batch() * shape.outPixels() * shape.weightElements();
        lowering()
                .add(views.step(
                        () -> "conv of planes " + after,
                        result.name(),
                        work,
                        conv.scratchBytes(lowering().width()),
                        conv::run));
    }
}
