package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.axis.ArgBest;
import dev.millrace.kernels.axis.AxisShape;
import dev.millrace.kernels.axis.Best;
import dev.millrace.kernels.axis.PrefixSum;
import dev.millrace.kernels.axis.SumRule;
import dev.millrace.kernels.axis.TopK;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.elementwise.CastRules;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Operators that rank or add up elements along an axis. */
public final class RankRules {
    private static final long MOST_ALONG_AXIS = 1 << 24;

    /** Elements of a lane that get numbers in a table. */
    private static final long MOST_NUMBERED = 1 << 20;

    /** Before this opset a lane ran over its axis and all behind it. */
    private static final int ONE_AXIS_SINCE = 13;

    private RankRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.ARG_MAX -> op -> best(op, Best.Extreme.LARGEST);
            case "ArgMin" -> op -> best(op, Best.Extreme.SMALLEST);
            case "Hardmax" -> RankRules::hardmax;
            case OpName.TOP_K -> RankRules::largest;
            case OpName.CUM_SUM -> RankRules::sums;
            case OpName.CUM_PROD -> RankRules::products;
            default -> null;
        };
    }

    /** The axis of a tensor, or null where it has none or kernels do not see that far. */
    private static @Nullable AxisShape along(ValueState in, long count) {
        Shape shape = in.shape();
        if (shape.rank() == 0) {
            return null;
        }
        int axis = Shape.axis(count, shape.rank());
        long inner = shape.elements(axis + 1, shape.rank());
        return in.elements() == 0 || shape.dim(axis) > MOST_ALONG_AXIS || inner > MOST_ALONG_AXIS
                ? null
                : new AxisShape(shape.elements(0, axis), shape.dim(axis), inner);
    }

    private static boolean best(LoweringContext op, Best.Extreme extreme) {
        AxisShape shape = along(op.in(0), op.attributes().integer("axis", 0));
        if (!op.in(0).isFloat() || shape == null) {
            return false;
        }
        var best = new Best(extreme, op.attributes().flag("select_last_index", false));
        addPlaces(op, best, shape, op.lowering().allocate(op.out()));
        return true;
    }

    private static void addPlaces(LoweringContext op, Best best, AxisShape shape, View to) {
        ArgBest driver =
                op.environment().driver(best, () -> new ArgBest(op.environment().kernels(), best));
        View from = op.lowering().dense(op.in(0));
        op.lowering()
                .add(ProgramStep.of("place of the " + best.extreme(), op.node().name())
                        .reading(from)
                        .writing(to)
                        .repeating()
                        .calling(memory -> {
                            MemorySegment in = memory.segment(from);
                            MemorySegment out = memory.segment(to);
                            return crew -> driver.run(shape, in, out, crew);
                        }));
    }

    /** One where the number of an element is that of the largest of its lane, else zero. */
    private static boolean hardmax(LoweringContext op) {
        ValueState in = op.in(0);
        int rank = in.shape().rank();
        boolean flat = op.opset() < ONE_AXIS_SINCE;
        if (!in.isFloat() || rank == 0) {
            return false;
        }
        long number = op.attributes().integer("axis", flat ? 1 : -1);
        int axis = flat && number == rank ? rank : Shape.axis(number, rank);
        int end = flat ? rank : axis + 1;
        long count = in.shape().elements(axis, end);
        if (count > MOST_NUMBERED) {
            return false;
        }
        var shape =
                new AxisShape(in.shape().elements(0, axis), count, in.shape().elements(end, rank));
        PartitionCompiler lowering = op.lowering();
        boolean together = shape.inner() == 1;
        Shape lanes = together ? Shape.of(shape.outer(), 1) : Shape.of(shape.outer(), 1, shape.inner());
        ValueState places = lowering.part(op.out(), ElementType.INT64, lanes);
        addPlaces(op, new Best(Best.Extreme.LARGEST, false), shape, lowering.allocate(places));
        ValueState best = lowering.part(op.out(), ElementType.INT32, lanes);
        CastRules.cast(op, places, best);
        int[] numbers = IntStream.range(0, Math.toIntExact(count)).toArray();
        ValueState numbered =
                lowering.constant(together ? Tensor.copyOf(numbers, count) : Tensor.copyOf(numbers, count, 1));
        ValueState result = lowering.part(op.out(), ElementType.FLOAT, lanes.with(1, count));
        lowering.defer(
                result,
                List.of(best, numbered),
                v -> v.get(0).combine(Operator.EQUAL, v.get(1)).to(Kind.FLOAT));
        lowering.provide(
                op.out(),
                Objects.requireNonNull(lowering.dense(result).reshaped(op.out().shape())));
        return true;
    }

    /** The key of a driver. */
    private record Ranking(Best.Extreme extreme) {}

    private static boolean largest(LoweringContext op) {
        long count = op.attributes().integer("axis", -1);
        AxisShape shape = along(op.in(0), count);
        if (!op.in(0).isFloat() || shape == null) {
            return false;
        }
        Best.Extreme extreme = op.attributes().flag("largest", true) ? Best.Extreme.LARGEST : Best.Extreme.SMALLEST;
        TopK driver = op.environment()
                .driver(new Ranking(extreme), () -> new TopK(op.environment().kernels(), extreme));
        ValueState some = op.out(op.wants(0) ? 0 : 1);
        int k = Math.toIntExact(some.shape().dim(Shape.axis(count, some.shape().rank())));
        View from = op.lowering().dense(op.in(0));
        View values = output(op, 0, ElementType.FLOAT, some.shape());
        View places = output(op, 1, ElementType.INT64, some.shape());
        op.lowering()
                .add(ProgramStep.of("the " + k + " " + extreme, op.node().name())
                        .reading(from)
                        .writing(values, places)
                        .scratch(driver.scratchBytes(shape, op.lowering().width()))
                        .calling(memory -> {
                            MemorySegment in = memory.segment(from);
                            MemorySegment best = memory.segment(values);
                            MemorySegment where = memory.segment(places);
                            MemorySegment scratch = memory.scratch();
                            return crew -> driver.run(shape, k, in, best, where, scratch, crew);
                        }));
        return true;
    }

    private static View output(LoweringContext op, int output, ElementType type, Shape shape) {
        return op.wants(output)
                ? op.lowering().allocate(op.out(output))
                : op.lowering().allocate(type, shape);
    }

    private static boolean sums(LoweringContext op) {
        return switch (op.in(0).type()) {
            case FLOAT -> run(op, SumRule.Type.FLOAT);
            case INT32 -> run(op, SumRule.Type.INT);
            case INT64 -> run(op, SumRule.Type.LONG);
            case DOUBLE -> run(op, SumRule.Type.DOUBLE);
            default -> false;
        };
    }

    private static boolean products(LoweringContext op) {
        return switch (op.in(0).type()) {
            case INT32 -> !op.attributes().flag("reverse", false) && run(op, SumRule.Type.INT_PRODUCT);
            case DOUBLE -> !op.attributes().flag("exclusive", false) && run(op, SumRule.Type.DOUBLE_PRODUCT);
            default -> false;
        };
    }

    private static boolean run(LoweringContext op, SumRule.Type type) {
        AxisShape shape = along(op.in(0), op.content(1).longs()[0]);
        if (shape == null || type.isWide() && shape.inner() == 1) {
            return false;
        }
        var rule = new SumRule(
                type, op.attributes().flag("exclusive", false), op.attributes().flag("reverse", false));
        PrefixSum driver = op.environment()
                .driver(rule, () -> new PrefixSum(op.environment().kernels(), rule));
        View from = op.lowering().dense(op.in(0));
        View to = op.lowering().allocate(op.out());
        op.lowering()
                .add(ProgramStep.of("running " + type, op.node().name())
                        .reading(from)
                        .writing(to)
                        .calling(memory -> {
                            MemorySegment in = memory.segment(from);
                            MemorySegment out = memory.segment(to);
                            return crew -> driver.run(shape, in, out, crew);
                        }));
        return true;
    }
}
