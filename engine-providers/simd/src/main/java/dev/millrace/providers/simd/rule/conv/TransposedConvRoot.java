package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.TransposedConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
        lowering()
                .add(ProgramStep.of(() -> "conv.transposed " + after, result.name())
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
