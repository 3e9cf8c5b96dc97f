package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.RotaryEmbedding;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rotation of new queries and keys by their places, which a run reads from the cache's lengths or from positions.
 *
 * @param cosines rows of the cosines of each place; null where nothing is rotated
 * @param positions the place of each row of the batch; null where places follow from the past
 */
record GroupQueryRotation(
        String node,
        @Nullable View cosines,
        @Nullable View sines,
        @Nullable View positions,
        int places,
        int pairs,
        int now,
        int depth,
        boolean neighbours) {
    private static final int COSINES = 7;
    private static final int SINES = 8;
    private static final int POSITIONS = 9;

    /** Returns the rotation of a node, which may be none; null where kernels do not rotate like that. */
    static @Nullable GroupQueryRotation of(LoweringContext op, Shape queries) {
        String node = op.node().describe();
        int now = Math.toIntExact(queries.dim(2));
        int depth = Math.toIntExact(queries.dim(3));
        if (!op.attributes().flag("do_rotary", false)) {
            return new GroupQueryRotation(node, null, null, null, 0, 0, now, depth, false);
        }
        if (!op.has(COSINES) || !op.has(SINES)) {
            return null;
        }
        Shape table = op.in(COSINES).shape();
        boolean fits = Float16Conversion.areFloats(op.in(COSINES).type())
                && Float16Conversion.areFloats(op.in(SINES).type())
                && table.rank() == 2
                && table.equals(op.in(SINES).shape())
                && table.dim(1) > 0
                && 2 * table.dim(1) <= depth
                && table.dim(0) <= Integer.MAX_VALUE;
        boolean placed = !op.has(POSITIONS)
                || op.in(POSITIONS).type() == ElementType.INT64
                        && op.in(POSITIONS).elements() == queries.dim(0) * now;
        if (!fits || !placed) {
            return null;
        }
        return new GroupQueryRotation(
                node,
                op.lowering().dense(Float16Conversion.widened(op, op.in(COSINES))),
                op.lowering().dense(Float16Conversion.widened(op, op.in(SINES))),
                op.has(POSITIONS) ? op.lowering().dense(op.in(POSITIONS)) : null,
                (int) table.dim(0),
                (int) table.dim(1),
                now,
                depth,
                op.attributes().flag("rotary_interleaved", false));
    }

    boolean isNone() {
        return cosines == null;
    }

    List<View> views() {
        var views = new ArrayList<View>();
        for (View view : new View[] {cosines, sines, positions}) {
            if (view != null) {
                views.add(view);
            }
        }
        return views;
    }

    /** The bytes of scratch memory for the angles of positions. */
    long scratchBytes() {
        return positions == null ? 0 : 2L * Float.BYTES * now * pairs;
    }

    /** Returns the rotation of the rows of one entry of the batch. */
    RotaryEmbedding ofEntry(CompileEnvironment environment, int heads, View from, View to) {
        return new RotaryEmbedding(
                environment.kernels(),
                new RotaryEmbedding.Shape(1, heads, now, pairs, depth, neighbours),
                rows(from),
                rows(to));
    }

    private static RotaryEmbedding.Rows rows(View view) {
        long[] strides = view.strides();
        return new RotaryEmbedding.Rows(strides[0], strides[1], strides[2]);
    }

    /** The cosines and sines of the new places of an entry of the batch. */
    record Angles(MemorySegment cosines, MemorySegment sines) {
        void rotate(RotaryEmbedding rotation, MemorySegment from, MemorySegment to, Parallel parallel) {
            rotation.run(from, cosines, sines, to, parallel);
        }
    }

    /**
     * Returns the angles of an entry of the batch.
     *
     * @param scratch memory of {@link #scratchBytes}
     */
    Angles angles(RunMemory memory, MemorySegment scratch, int entry, int past) {
        MemorySegment allCosines = memory.segment(Objects.requireNonNull(cosines));
        MemorySegment allSines = memory.segment(Objects.requireNonNull(sines));
        long row = (long) Float.BYTES * pairs;
        if (positions == null) {
            check(past);
            check(past + now - 1L);
            return new Angles(allCosines.asSlice(past * row, now * row), allSines.asSlice(past * row, now * row));
        }
        MemorySegment source = memory.segment(positions);
        for (int i = 0; i < now; i++) {
            long position = source.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, (long) entry * now + i);
            check(position);
            MemorySegment.copy(allCosines, position * row, scratch, i * row, row);
            MemorySegment.copy(allSines, position * row, scratch, (now + i) * row, row);
        }
        return new Angles(scratch.asSlice(0, now * row), scratch.asSlice(now * row, now * row));
    }

    private void check(long position) {
        if (position < 0 || position >= places) {
            throw EngineException.invalidArgument(
                    node + ": position " + position + " is outside a cache of " + places + " positions");
        }
    }
}
