package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.View;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Pairs of elements of each head, turned by angles that depend on the position: expressions over views of both. */
final class RotaryRules {
    private static final int COSINES = 1;
    private static final int SINES = 2;
    private static final int POSITIONS = 3;

    /** Shorter rows take longer to begin than to compute. */
    private static final long LEAST_PAIRS = 8;

    private RotaryRules() {}

    static @Nullable Rule named(String name) {
        return name.equals("RotaryEmbedding") ? RotaryRules::lower : null;
    }

    private static boolean lower(Op op) {
        boolean suits = op.node().op().domain().equals(OpId.ONNX)
                && op.in(0).isFloat()
                && op.in(COSINES).isFloat()
                && op.in(SINES).isFloat();
        View heads = suits ? AttentionRules.heads(op, 0, op.attributes().integer("num_heads", 0)) : null;
        if (heads == null) {
            return false;
        }
        long size = heads.shape().dim(3);
        long given = op.attributes().integer("rotary_embedding_dim", 0);
        long pairs = (given == 0 ? size : given) / 2;
        Indices positions = op.has(POSITIONS) ? Indices.of(op, POSITIONS) : null;
        boolean fits = pairs >= LEAST_PAIRS
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
    private static Cell angles(Op op, int input, @Nullable Indices positions, Shape heads) {
        Lowering lowering = op.lowering();
        Cell cache = op.in(input);
        long pairs = cache.shape().dimAt(-1);
        Cell angles = lowering.part(op.out(), ElementType.FLOAT, Shape.of(heads.dim(0), 1, heads.dim(2), pairs));
        if (positions == null) {
            lowering.provide(
                    angles, Objects.requireNonNull(lowering.dense(cache).reshaped(angles.shape())));
        } else {
            long[] dims = {cache.shape().dim(0)};
            GatherRules.addRows(op, cache, positions, dims, 1, Float.BYTES * pairs, lowering.allocate(angles));
        }
        return angles;
    }

    private static void turn(Op op, View heads, Cell cosines, Cell sines) {
        Lowering lowering = op.lowering();
        boolean interleaved = op.attributes().flag("interleaved", false);
        long pairs = cosines.shape().dim(3);
        Shape half = heads.shape().with(3, pairs);
        View to = asHeads(op, lowering.allocate(op.out()), heads.shape());
        long second = interleaved ? 1 : pairs;
        long step = interleaved ? 2 : 1;
        Cell x = Parts.of(lowering, op.out(), sliced(heads, 0, step, half));
        Cell y = Parts.of(lowering, op.out(), sliced(heads, second, step, half));
        Cell turnedX = lowering.part(op.out(), ElementType.FLOAT, half);
        lowering.pend(
                turnedX,
                List.of(x, cosines, y, sines),
                v -> v.get(0).times(v.get(1)).minus(v.get(2).times(v.get(3))));
        Cell turnedY = lowering.part(op.out(), ElementType.FLOAT, half);
        lowering.pend(
                turnedY,
                List.of(x, sines, y, cosines),
                v -> v.get(0).times(v.get(1)).plus(v.get(2).times(v.get(3))));
        String name = op.node().name();
        lowering.copy(lowering.view(turnedX), sliced(to, 0, step, half), name);
        lowering.copy(lowering.view(turnedY), sliced(to, second, step, half), name);
        long rest = heads.shape().dim(3) - 2 * pairs;
        if (rest > 0) {
            Shape behind = heads.shape().with(3, rest);
            lowering.copy(sliced(heads, 2 * pairs, 1, behind), sliced(to, 2 * pairs, 1, behind), name);
        }
    }

    private static View asHeads(Op op, View out, Shape heads) {
        if (op.out().shape().rank() == 4) {
            return out;
        }
        Shape byPlace = Shape.of(heads.dim(0), heads.dim(2), heads.dim(1), heads.dim(3));
        return View.dense(out.storage(), out.type(), byPlace).transposed(new int[] {0, 2, 1, 3});
    }

    private static View sliced(View view, long start, long step, Shape shape) {
        long[] steps = new long[4];
        Arrays.fill(steps, 1);
        steps[3] = step;
        return view.sliced(new long[] {0, 0, 0, start}, steps, shape);
    }
}
