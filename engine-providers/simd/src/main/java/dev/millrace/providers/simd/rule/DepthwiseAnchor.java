package dev.millrace.providers.simd.rule;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.pool.DepthwiseConv;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A convolution in which each channel sees itself only. */
final class DepthwiseAnchor extends ImageAnchor {
    private final Cell in;
    private final WindowShape shape;
    private final ConvWeights weights;

    DepthwiseAnchor(Lowering lowering, Cell in, WindowShape shape, ConvWeights weights) {
        super(lowering);
        this.in = in;
        this.shape = shape;
        this.weights = weights;
    }

    @Override
    void add(Cell result, Expr after, @Nullable Cell residual) {
        var conv = new DepthwiseConv(lowering().kit().kernels(), shape, after);
        View from = lowering().blocked(in);
        View other = residual == null ? null : lowering().blocked(residual);
        View packed = weights.packed(Layout.forAllShapes(conv.packedLayout(), conv.packedBytes()), conv::pack);
        View to = lowering().allocateBlocked(result);
        lowering()
                .add(Step.of(() -> "conv.depthwise " + after, result.name())
                        .reading(other == null ? List.of(from, packed) : List.of(from, packed, other))
                        .writing(to)
                        .work(shape.outPixels() * weights.shape().elements() * shape.batch())
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
