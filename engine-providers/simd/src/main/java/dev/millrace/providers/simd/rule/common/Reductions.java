package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.reduce.ExpressionReduction;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.kernels.reduce.Reduction;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Steps that reduce a value over some of its axes. */
public final class Reductions {
    private Reductions() {}

    /** Whether kernels reduce such values, with the results that the operator wants. */
    public static boolean suit(ValueState in, ReduceOp reduction) {
        return switch (in.type()) {
            case FLOAT, FLOAT16, BFLOAT16 -> true;
            case DOUBLE, INT64 -> reduction.isOfAllNumbers();
            // sums of ints wrap around before they are divided
            case INT32 -> reduction.isOfAllNumbers() && reduction != ReduceOp.MEAN;
            default -> false;
        };
    }

    /** @param to has as many elements as there are results */
    public static void add(LoweringContext op, ReduceOp reduction, ValueState in, ValueState to, int... axes) {
        add(op, reduction, op.lowering().dense(in), in.shape(), to, axes);
    }

    /**
     * Adds the reduction of all pixels of images whose channels lie side by side.
     *
     * @param images as their indices are, with channels as the second one
     */
    public static void addOfPixels(LoweringContext op, ReduceOp reduction, View images, ValueState to) {
        View from = images.channelsLast();
        long number = images.shape().dim(0);
        long channels = images.shape().dim(1);
        Shape pixels = Shape.of(number, images.elements() / (number * channels), channels);
        add(op, reduction, from, pixels, to, 1);
    }

    /** @param shape of what is reduced, which lies in the order of its indices */
    private static void add(
            LoweringContext op, ReduceOp reduction, View from, Shape shape, ValueState to, int... axes) {
        View out = op.lowering().allocate(to);
        NumberType type = Objects.requireNonNull(DataTypes.number(from.type()));
        var driver = new Reduction(op.environment().kernels(), reduction, type, shape.toArray(), axes);
        op.lowering()
                .add(ProgramStep.of(
                                () -> "reduce " + reduction + " " + shape + " over " + Arrays.toString(axes),
                                op.node().name())
                        .reading(from)
                        .writing(out)
                        .work(shape.elements())
                        .scratch(driver.scratchBytes())
                        .repeating(driver.isOfKernels())
                        .calling(memory -> {
                            MemorySegment numbers = memory.segment(from);
                            MemorySegment results = memory.segment(out);
                            MemorySegment scratch = memory.scratch();
                            return crew -> driver.run(numbers, results, scratch, crew);
                        }));
    }

    /** Whether the numbers of a result lie side by side, so that an expression of them is never in memory. */
    public static boolean areOfRows(Shape shape, int... axes) {
        int first = shape.rank() - axes.length;
        return axes.length > 0 && shape.elements() > 0 && Arrays.stream(axes).allMatch(axis -> axis >= first);
    }

    /**
     * Adds the reduction of an expression of numbers that lie side by side.
     *
     * @param expression of input 0
     * @param to has as many floats as there are results, or ints
     */
    public static void addOfRows(
            LoweringContext op, ReduceOp reduction, Expr expression, ValueState in, ValueState to) {
        View from = op.lowering().dense(in);
        View out = op.lowering().allocate(to);
        long rows = to.elements();
        DataType type = DataTypes.of(to.type());
        var driver = new ExpressionReduction(
                op.environment().kernels(), expression, reduction, type, rows, in.elements() / rows);
        op.lowering()
                .add(ProgramStep.of(
                                () -> "reduce " + reduction + " of an expression of " + in.shape(),
                                op.node().name())
                        .reading(from)
                        .writing(out)
                        .work(in.elements())
                        .scratch(driver.scratchBytes())
                        .calling(memory -> {
                            List<MemorySegment> numbers = List.of(memory.segment(from));
                            MemorySegment results = memory.segment(out);
                            MemorySegment scratch = memory.scratch();
                            return crew -> driver.run(numbers, results, scratch, crew);
                        }));
    }
}
