package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.TransposedConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import org.jspecify.annotations.Nullable;

/** A transposed convolution. */
final class TransposedConvRoot extends ImageRoot {
    private final ValueState in;
    private final ConvShape forward;
    private final ConvWeights weights;

    TransposedConvRoot(PartitionCompiler lowering, ValueState in, ConvShape forward, ConvWeights weights) {
        super(lowering);
        this.in = in;
        this.forward = forward;
        this.weights = weights;
    }

    @Override
    void add(ValueState result, Expr after, @Nullable ValueState residual) {
        var conv = new TransposedConv(lowering().environment().kernels(), forward, after);
        View from = lowering().blocked(in);
        View other = residual == null ? null : lowering().blocked(residual);
        View packed = weights.packed(Layout.forAllShapes(conv.packedLayout(), conv.packedBytes()), conv::pack);
        View to = lowering().allocateBlocked(result);
        var views = new ConvViews(from, packed, other, to);
        long work = forward.batch() * forward.outPixels() * forward.weightElements();
        lowering()
                .add(views.step(
                        () -> "conv.transposed " + after,
                        result.name(),
                        work,
                        0,
                        (data, filters, added, results, _, crew) -> conv.run(data, filters, added, results, crew)));
    }
}
