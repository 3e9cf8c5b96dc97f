package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.gather.ElementShape;
import dev.millrace.kernels.gather.IndexList;
import dev.millrace.kernels.gather.RowGather;
import dev.millrace.kernels.gather.RowNumbers;
import dev.millrace.kernels.gather.SingleElementGather;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Operators that read at places given by indices. Indices that are known and evenly spaced only name a view. */
public final class GatherRules {
    private GatherRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.GATHER -> GatherRules::gather;
            case "GatherElements" -> GatherRules::elements;
            case OpName.GATHER_ND -> GatherRules::tuples;
            default -> null;
        };
    }

    private static boolean gather(LoweringContext op) {
        ValueState data = op.in(0);
        int bytes = Indices.elementBytes(data.type());
        if (bytes == 0 || data.shape().rank() == 0) {
            return false;
        }
        int axis = Shape.axis(op.attributes().integer("axis", 0), data.shape().rank());
        View view = evenlySpaced(op, axis);
        if (view != null) {
            op.lowering().provide(op.out(), view);
            return true;
        }
        Shape shape = data.shape();
        long outer = shape.elements(0, axis);
        long width = bytes * shape.elements(axis + 1, shape.rank());
        long[] dims = {shape.dim(axis)};
        return shape.dim(axis) <= Integer.MAX_VALUE && rows(op, dims, outer, width);
    }

    /** The view that known indices choose, or null where they are not known or leave uneven gaps. */
    private static @Nullable View evenlySpaced(LoweringContext op, int axis) {
        Tensor known = op.in(1).known();
        if (known == null || known.elements() == 0) {
            return null;
        }
        ValueState data = op.in(0);
        long extent = data.shape().dim(axis);
        long[] indices = known.longs();
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] < -extent || indices[i] >= extent) {
                return null;
            }
            indices[i] += indices[i] < 0 ? extent : 0;
        }
        long step = indices.length == 1 ? 1 : indices[1] - indices[0];
        for (int i = 1; i < indices.length; i++) {
            if (step < 0 || indices[i] - indices[i - 1] != step) {
                return null;
            }
        }
        int rank = data.shape().rank();
        long[] starts = new long[rank];
        long[] steps = new long[rank];
        Arrays.fill(steps, 1);
        starts[axis] = indices[0];
        steps[axis] = step;
        return op.lowering()
                .view(data)
                .sliced(starts, steps, data.shape().with(axis, indices.length))
                .reshaped(op.out().shape());
    }

    private static boolean tuples(LoweringContext op) {
        Shape shape = op.in(0).shape();
        int bytes = Indices.elementBytes(op.in(0).type());
        int length = Indices.tupleLength(op);
        if (bytes == 0
                || length == 0
                || op.attributes().integer("batch_dims", 0) != 0
                || shape.elements(0, length) > Integer.MAX_VALUE) {
            return false;
        }
        long width = bytes * shape.elements(length, shape.rank());
        return rows(op, Arrays.copyOf(shape.toArray(), length), 1, width);
    }

    /**
     * Copies rows that indices choose.
     *
     * @param dims the places that a tuple of indices chooses from
     * @param width of a row in bytes
     */
    private static boolean rows(LoweringContext op, long[] dims, long blocks, long width) {
        Indices indices = width > Indices.MOST_ROW_BYTES ? null : Indices.of(op, 1);
        if (indices == null) {
            return false;
        }
        addRows(op, op.in(0), indices, dims, blocks, width, op.lowering().allocate(op.out()));
        return true;
    }

    public static void addRows(
            LoweringContext op, ValueState data, Indices indices, long[] dims, long blocks, long width, View to) {
        RowNumbers numbers = Indices.numbers(op.environment());
        RowGather rows = Indices.rows(op.environment());
        View from = op.lowering().dense(data);
        long count = indices.count() / dims.length;
        long limit = Arrays.stream(dims).reduce(1, Math::multiplyExact);
        op.lowering()
                .add(ProgramStep.of(
                                "gather rows of " + width + " bytes", op.node().name())
                        .reading(from, indices.view())
                        .writing(to)
                        .scratch(RowNumbers.tableBytes(count))
                        .calling(memory -> {
                            MemorySegment source = memory.segment(from);
                            MemorySegment out = memory.segment(to);
                            MemorySegment table = memory.scratch();
                            IndexList list = indices.in(memory);
                            return crew -> {
                                indices.check(() -> numbers.ofTuples(list, dims, table));
                                rows.gather(table, count, source, blocks, limit, width, out, crew);
                            };
                        }));
    }

    private static boolean elements(LoweringContext op) {
        ValueState data = op.in(0);
        int bytes = Indices.elementBytes(data.type());
        ElementShape shape = bytes == 0 ? null : Indices.along(op);
        Indices indices = shape == null ? null : Indices.of(op, 1);
        if (shape == null || indices == null) {
            return false;
        }
        View to = op.lowering().allocate(op.out());
        if (bytes == Integer.BYTES) {
            addElements(op, data, indices, shape, to);
        } else {
            View from = op.lowering().dense(data);
            ProgramStep.Builder step = elements(op, from, indices, to).scratch(RowNumbers.tableBytes(indices.count()));
            op.lowering().add(ofBytes(op, step, indices, shape, from, to));
        }
        return true;
    }

    private static ProgramStep.Builder elements(LoweringContext op, View from, Indices indices, View to) {
        return ProgramStep.of("gather elements", op.node().name())
                .reading(from, indices.view())
                .writing(to);
    }

    /** Copies elements of four bytes. */
    public static void addElements(LoweringContext op, ValueState words, Indices indices, ElementShape shape, View to) {
        SingleElementGather elements = op.environment()
                .driver(
                        SingleElementGather.class,
                        () -> new SingleElementGather(op.environment().kernels()));
        View from = op.lowering().dense(words);
        op.lowering().add(elements(op, from, indices, to).calling(memory -> {
            MemorySegment data = memory.segment(from);
            MemorySegment out = memory.segment(to);
            IndexList list = indices.in(memory);
            return crew -> indices.check(() -> elements.gather(list, shape, data, out, crew));
        }));
    }

    private static ProgramStep ofBytes(
            LoweringContext op, ProgramStep.Builder step, Indices indices, ElementShape shape, View from, View to) {
        RowNumbers numbers = Indices.numbers(op.environment());
        RowGather rows = Indices.rows(op.environment());
        long count = indices.count();
        long elements = from.elements();
        int bytes = Indices.elementBytes(from.type());
        return step.calling(memory -> {
            MemorySegment data = memory.segment(from);
            MemorySegment out = memory.segment(to);
            MemorySegment table = memory.scratch();
            IndexList list = indices.in(memory);
            return crew -> {
                indices.check(() -> numbers.ofElements(list, shape, table));
                rows.gather(table, count, data, 1, elements, bytes, out, crew);
            };
        });
    }
}
