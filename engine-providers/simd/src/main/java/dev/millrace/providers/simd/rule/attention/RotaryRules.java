package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.RotaryEmbedding;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import dev.millrace.providers.simd.rule.common.OutputViews;
import dev.millrace.providers.simd.rule.common.RunChecks;
import dev.millrace.providers.simd.rule.move.GatherRules;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Pairs of elements of each head, turned by angles that depend on the position. */
public final class RotaryRules {
    private static final int COSINES = 1;
    private static final int SINES = 2;
    private static final int POSITIONS = 3;

    private RotaryRules() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.ROTARY_EMBEDDING) ? RotaryRules::lower : null;
    }

    private static boolean lower(LoweringContext op) {
        boolean suits = op.node().op().domain().equals(OpId.ONNX)
                && op.in(0).isFloat()
                && op.in(COSINES).isFloat()
                && op.in(SINES).isFloat();
        View heads = suits ? AttentionRules.heads(op, 0, op.attributes().integer("num_heads", 0)) : null;
        if (heads == null) {
            return false;
        }
        long size = heads.shape().dim(3);
        long count = op.attributes().integer("rotary_embedding_dim", 0);
        long pairs = (count == 0 ? size : count) / 2;
        Indices positions = op.has(POSITIONS) ? Indices.of(op, POSITIONS) : null;
        boolean fits = pairs > 0
                && 2 * pairs <= size
                && op.in(COSINES).shape().dimAt(-1) == pairs
                && op.in(SINES).shape().dimAt(-1) == pairs
                && op.has(POSITIONS) == (positions != null);
        if (!fits) {
            return false;
        }
        if (positions != null) {
            RunChecks.addAtLeast(op, op.in(POSITIONS), 0, op.node().describe() + ": a position is negative");
        }
        turn(op, heads, angles(op, COSINES, positions, heads.shape()), angles(op, SINES, positions, heads.shape()));
        return true;
    }

    /** The cosines or sines of all places, by batch and place. */
    private static ValueState angles(LoweringContext op, int input, @Nullable Indices positions, Shape heads) {
        PartitionCompiler lowering = op.lowering();
        ValueState cache = op.in(input);
        long pairs = cache.shape().dimAt(-1);
        ValueState angles = lowering.part(op.out(), ElementType.FLOAT, Shape.of(heads.dim(0), 1, heads.dim(2), pairs));
        if (positions == null) {
            lowering.provide(
                    angles, Objects.requireNonNull(lowering.dense(cache).reshaped(angles.shape())));
        } else {
            long[] dims = {cache.shape().dim(0)};
            GatherRules.addRows(op, cache, positions, dims, 1, Float.BYTES * pairs, lowering.allocate(angles));
        }
        return angles;
    }

    private static void turn(LoweringContext op, View view, ValueState cosines, ValueState sines) {
        PartitionCompiler lowering = op.lowering();
        Shape heads = view.shape();
        View from = view.strides()[3] == 1 ? view : lowering.dense(OutputViews.of(lowering, op.out(), view));
        View cosine = lowering.dense(cosines);
        View sine = lowering.dense(sines);
        View to = asHeads(op, lowering.allocate(op.out()), heads);
        var rotation = new RotaryEmbedding(
                op.environment().kernels(),
                new RotaryEmbedding.Shape(
                        Math.toIntExact(heads.dim(0)),
                        Math.toIntExact(heads.dim(1)),
                        Math.toIntExact(heads.dim(2)),
                        Math.toIntExact(cosines.shape().dim(3)),
                        Math.toIntExact(heads.dim(3)),
                        op.attributes().flag("interleaved", false)),
                rows(from),
                rows(to));
        lowering.add(ProgramStep.of("rotation", op.node().name())
                .reading(from, cosine, sine)
                .writing(to)
                .work(2 * heads.elements())
                .repeating()
                .calling(memory -> {
                    MemorySegment in = memory.segment(from);
                    MemorySegment angles = memory.segment(cosine);
                    MemorySegment others = memory.segment(sine);
                    MemorySegment out = memory.segment(to);
                    return crew -> rotation.run(in, angles, others, out, crew);
                }));
    }

    private static RotaryEmbedding.Rows rows(View heads) {
        return new RotaryEmbedding.Rows(heads.strides()[0], heads.strides()[1], heads.strides()[2]);
    }

    private static View asHeads(LoweringContext op, View out, Shape heads) {
        if (op.out().shape().rank() == 4) {
            return out;
        }
        Shape byPlace = Shape.of(heads.dim(0), heads.dim(2), heads.dim(1), heads.dim(3));
        return View.dense(out.storage(), out.type(), byPlace).transposed(new int[] {0, 2, 1, 3});
    }
}
