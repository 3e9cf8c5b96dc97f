package dev.millrace.providers.simd.rule;

import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.TransposedConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transposed convolution. */
final class TransposedConvAnchor extends ImageAnchor {
    private final Cell in;
    private final ConvShape forward;
    private final ConvWeights weights;

    TransposedConvAnchor(Lowering lowering, Cell in, ConvShape forward, ConvWeights weights) {
        super(lowering);
        this.in = in;
        this.forward = forward;
        this.weights = weights;
    }

    @Override
    void add(Cell result, Expr after, @Nullable Cell residual) {
        var conv = new TransposedConv(lowering().kit().kernels(), forward, after);
        View from = lowering().blocked(in);
        View other = residual == null ? null : lowering().blocked(residual);
        View packed = weights.packed(Layout.forAllShapes(conv.packedLayout(), conv.packedBytes()), conv::pack);
        View to = lowering().allocateBlocked(result);
        lowering()
                .add(Step.of(() -> "conv.transposed " + after, result.name())
                        .reading(other == null ? List.of(from, packed) : List.of(from, packed, other))
                        .writing(to)
                        .work(forward.batch() * forward.outPixels() * forward.weightElements())
                        .repeating()
                        .calling(memory -> {
                            MemorySegment input = memory.segment(from);
                            MemorySegment filters = memory.segment(packed);
                            MemorySegment added = other == null ? null : memory.segment(other);
                            MemorySegment output = memory.segment(to);
                            return crew -> conv.run(input, filters, added, output, crew);
                        }));
    }
}
