package dev.millrace.providers.simd.rule.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.conv.ChannelOrder;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.Channels;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import org.jspecify.annotations.Nullable;

/** A convolution, direct or by Winograd. */
final class ConvRoot extends ImageRoot {
    private final ValueState in;
    private final ConvShape shape;
    private final ConvWeights weights;
    private final boolean ofOneSize;

    /** @param ofOneSize whether images are of this size whatever the shapes of the inputs */
    ConvRoot(PartitionCompiler lowering, ValueState in, ConvShape shape, ConvWeights weights, boolean ofOneSize) {
        super(lowering);
        this.in = in;
        this.shape = shape;
        this.weights = weights;
        this.ofOneSize = ofOneSize;
    }

    /** @param ordered whether channels are read where a binding found them, which may lie elsewhere for other shapes */
    private Layout layout(Conv conv, boolean ordered) {
        boolean hasChoice = !lowering().environment().isStrict()
                && ConvMethod.WINOGRAD_2.fits(
                        shape, lowering().environment().kernels().target());
        return new Layout(conv.packedLayout(), conv.packedBytes(), ofOneSize || !hasChoice && !ordered);
    }

    /** Sums that are to be those of others keep the order of the channels. */
    private boolean readsInAnyOrder() {
        return !lowering().environment().isStrict() && Conv.readsInAnyOrder(shape);
    }

    @Override
    void add(ValueState result, Expr after, @Nullable ValueState residual) {
        KernelSet kernels = lowering().environment().kernels();
        Channels unmoved = lowering().unmoved(in);
        ChannelOrder order = unmoved == null || !readsInAnyOrder() ? null : unmoved.inSource();
        boolean plain = !in.isBlockedOnly()
                && shape.groups() == 1
                && 2 * shape.channels() <= lowering().environment().block();
        // to transform weights by each run costs more than it saves
        boolean direct = lowering().environment().isStrict() || weights instanceof ConvWeights.Varying;
        ConvMethod counted = ConvMethod.best(shape, plain, direct, kernels.target());
        ConvMethod method = plain || direct
                ? counted
                : new ConvTrial(kernels, shape, after, residual != null)
                        .best(lowering().environment().choices(), counted);
        Conv conv = order == null
                ? new Conv(kernels, shape, plain, after, method, lowering().width())
                : Conv.inOrder(kernels, shape, order, after, lowering().width());
        ValueState images = unmoved == null || order == null ? in : unmoved.source();
        View from = plain ? lowering().dense(in) : lowering().blocked(images);
        View other = residual == null ? null : lowering().blocked(residual);
        View packed = weights.packed(layout(conv, order != null), conv::pack);
        View to = lowering().allocateBlocked(result);
        var views = new ConvViews(from, packed, other, to);
        long work = shape.batch() * shape.outPixels() * shape.weightElements();
        lowering()
                .add(views.step(
                        () -> "conv " + method + (order == null ? " " : " of moved channels ") + after,
                        result.name(),
                        work,
                        conv.scratchBytes(lowering().width()),
                        conv::run));
    }
}
