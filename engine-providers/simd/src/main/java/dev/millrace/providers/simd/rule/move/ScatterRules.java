package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.gather.ElementShape;
import dev.millrace.kernels.gather.IndexList;
import dev.millrace.kernels.gather.RowGather;
import dev.millrace.kernels.gather.RowMove;
import dev.millrace.kernels.gather.RowNumbers;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The rules of operators that write updates into a copy of the data, at positions given by indices. */
public final class ScatterRules {
    private ScatterRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case "Scatter", OpName.SCATTER_ELEMENTS -> ScatterRules::elements;
            case OpName.SCATTER_ND -> ScatterRules::tuples;
            default -> null;
        };
    }

    /** A function that fills a table of row numbers from indices. */
    private interface Table {
        void fill(RowNumbers numbers, IndexList indices, MemorySegment table);
    }

    /** Returns how updates are combined with the data, or null where kernels do not support it. */
    private static RowMove.@Nullable Update update(LoweringContext op) {
        String reduction = op.attributes().text("reduction", "none");
        if (reduction.equals("none")) {
            return Indices.elementBytes(op.in(0).type()) == 0 ? null : RowMove.Update.SET;
        }
        return !op.in(0).isFloat()
                ? null
                : switch (reduction) {
                    case "add" -> RowMove.Update.ADD;
                    case "mul" -> RowMove.Update.MUL;
                    case "min" -> RowMove.Update.MIN;
                    case "max" -> RowMove.Update.MAX;
                    default -> null;
                };
    }

    /** Whether kernels pay. Single numbers are combined faster by a plain loop, which needs no table. */
    private static boolean suits(RowMove.Update update, long row) {
        return row > 1 || update == RowMove.Update.SET;
    }

    private static boolean elements(LoweringContext op) {
        ValueState data = op.in(0);
        RowMove.Update update = update(op);
        if (update == null
                || !suits(update, 1)
                || !op.in(1).shape().equals(op.in(2).shape())) {
            return false;
        }
        ElementShape shape = Indices.along(op);
        Indices indices = shape == null ? null : Indices.of(op, 1);
        if (shape == null || indices == null) {
            return false;
        }
        add(
                op,
                update,
                indices,
                (numbers, list, table) -> numbers.ofElements(list, shape, table),
                indices.count(),
                data.elements(),
                Indices.elementBytes(data.type()));
        return true;
    }

    private static boolean tuples(LoweringContext op) {
        Shape shape = op.in(0).shape();
        RowMove.Update update = update(op);
        int length = Indices.tupleLength(op);
        if (update == null || length == 0) {
            return false;
        }
        long rows = shape.elements(0, length);
        long row = shape.elements(length, shape.rank());
        long width = row * Indices.elementBytes(op.in(0).type());
        long count = op.in(1).elements() / length;
        boolean fits = suits(update, row)
                && rows <= Integer.MAX_VALUE
                && width <= Indices.MOST_ROW_BYTES
                && op.in(2).elements() == count * row;
        Indices indices = fits ? Indices.of(op, 1) : null;
        if (indices == null) {
            return false;
        }
        long[] dims = Arrays.copyOf(shape.toArray(), length);
        add(op, update, indices, (numbers, list, table) -> numbers.ofTuples(list, dims, table), count, rows, width);
        return true;
    }

    private static void add(
            LoweringContext op,
            RowMove.Update update,
            Indices indices,
            Table places,
            long count,
            long rows,
            long width) {
        RowNumbers numbers = Indices.numbers(op.environment());
        RowGather mover = Indices.rows(op.environment());
        View data = op.lowering().view(op.in(0));
        View updates = op.lowering().dense(op.in(2));
        View to = op.lowering().allocate(op.out());
        op.lowering().copy(data, to, op.node().name());
        op.lowering()
                .add(ProgramStep.of(
                                () -> "scatter " + update + " rows of " + width + " bytes",
                                op.node().name())
                        .reading(indices.view(), updates)
                        .writing(to)
                        .scratch(RowNumbers.tableBytes(count))
                        .calling(memory -> {
                            MemorySegment segment = memory.segment(updates);
                            MemorySegment out = memory.segment(to);
                            MemorySegment table = memory.scratch();
                            IndexList list = indices.in(memory);
                            return crew -> {
                                indices.check(() -> places.fill(numbers, list, table));
                                mover.scatter(table, count, segment, update, out, rows, width, crew);
                            };
                        }));
    }
}
