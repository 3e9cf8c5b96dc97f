package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.conv.ChannelOrder;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.pool.DepthwiseConv;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.providers.simd.lower.Channels;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import org.jspecify.annotations.Nullable;

/**
 * A convolution in which each channel sees itself only. Channels that would have to be moved stay where they are: what
 * follows is told of their order.
 */
final class DepthwiseRoot extends ImageRoot {
    private final ValueState in;
    private final WindowShape shape;
    private final ConvWeights weights;

    DepthwiseRoot(PartitionCompiler lowering, ValueState in, WindowShape shape, ConvWeights weights) {
        super(lowering);
        this.in = in;
        this.shape = shape;
        this.weights = weights;
    }

    @Override
    void add(ValueState result, Expr after, @Nullable ValueState residual) {
        var conv = new DepthwiseConv(lowering().environment().kernels(), shape, after);
        var layout = Layout.forAllShapes(conv.packedLayout(), conv.packedBytes());
        Channels unmoved = residual == null ? lowering().unmoved(in) : null;
        ChannelOrder order = unmoved == null ? null : unmoved.inSource();
        if (unmoved == null || order == null || !order.hasAll()) {
            add(conv, after, in, residual, weights.packed(layout, conv::pack), result);
            return;
        }
        ValueState inOrderOfSource = lowering().part(result, result.type(), result.shape());
        View packed = new ConvWeights.Ordered(weights, order).packed(layout, conv::pack);
        add(conv, after, unmoved.source(), null, packed, inOrderOfSource);
        lowering().provide(result, unmoved.in(inOrderOfSource, () -> {
            lowering().blocked(result);
            return lowering().view(result);
        }));
    }

    private void add(
            DepthwiseConv conv,
            Expr after,
            ValueState images,
            @Nullable ValueState residual,
            View packed,
            ValueState result) {
        View from = lowering().blocked(images);
        View other = residual == null ? null : lowering().blocked(residual);
        View to = lowering().allocateBlocked(result);
        var views = new ConvViews(from, packed, other, to);
        long work = shape.outPixels() * weights.shape().elements() * shape.batch();
        lowering()
                .add(views.step(
                        () -> "conv.depthwise " + after,
                        result.name(),
                        work,
                        0,
                        (data, filters, added, results, _, crew) -> conv.run(data, filters, added, results, crew)));
    }
}
