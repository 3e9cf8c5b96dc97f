package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.gather.ElementShape;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Indices;
import dev.millrace.providers.simd.rule.common.Reductions;
import dev.millrace.providers.simd.rule.common.RunChecks;
import dev.millrace.providers.simd.rule.elementwise.CastRules;
import dev.millrace.providers.simd.rule.move.GatherRules;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rule of NegativeLogLikelihoodLoss, which gathers the elements that labels choose, weights them and adds them up.
 */
public final class LossRules {
    private static final int LABELS = 1;
    private static final int WEIGHTS = 2;

    private final LoweringContext op;
    private final PartitionCompiler lowering;

    private LossRules(LoweringContext op) {
        this.op = op;
        lowering = op.lowering();
    }

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS) ? op -> new LossRules(op).lower() : null;
    }

    private boolean lower() {
        ValueState labels = op.in(LABELS);
        long ignored = op.attributes().integer("ignore_index", 0);
        boolean suits = op.in(0).isFloat()
                && (!op.has(WEIGHTS) || op.in(WEIGHTS).isFloat())
                && (labels.type() == ElementType.INT64 || labels.type() == ElementType.INT32)
                && labels.elements() > 0
                && (int) ignored == ignored
                && op.in(0).elements() <= Integer.MAX_VALUE;
        if (!suits) {
            return false;
        }
        boolean ignoring = op.attributes().has("ignore_index");
        ValueState numbers = narrow(labels);
        Expr unwanted = Expr.integer((int) ignored);
        ValueState counts = ignoring ? part(ElementType.FLOAT, labels.shape()) : null;
        if (counts != null) {
            lowering.defer(
                    counts,
                    List.of(numbers),
                    v -> v.getFirst().combine(Operator.NOT_EQUAL, unwanted).to(Kind.FLOAT));
            lowering.materialise(counts);
            ValueState places = part(ElementType.INT32, labels.shape());
            lowering.defer(
                    places,
                    List.of(numbers),
                    v -> v.getFirst().combine(Operator.EQUAL, unwanted).choose(Expr.integer(0), v.getFirst()));
            lowering.materialise(places);
            numbers = places;
        }
        RunChecks.addAtLeast(op, numbers, 0, op.node().describe() + ": a label is negative");
        reduce(scores(numbers, counts), weights(numbers, counts));
        return true;
    }

    private ValueState part(ElementType type, Shape shape) {
        return lowering.part(op.out(), type, shape);
    }

    /** Returns the labels in 32 bits. A label that does not fit is an error. */
    private ValueState narrow(ValueState labels) {
        ValueState narrow = part(ElementType.INT32, labels.shape());
        if (labels.type() == ElementType.INT64) {
            String failure = op.node().describe() + ": a label is outside of all classes";
            RunChecks.addAtLeast(op, labels, Integer.MIN_VALUE, failure);
            RunChecks.addAtMost(op, labels, Integer.MAX_VALUE, failure);
        }
        CastRules.cast(op, labels, narrow);
        return narrow;
    }

    /** Returns the element along the class axis that each label chooses. */
    private ValueState chosen(ValueState places) {
        Shape data = op.in(0).shape();
        Shape lanes = data.with(1, 1);
        ValueState chosen = part(ElementType.FLOAT, places.shape());
        var shape = new ElementShape(lanes.toArray(), data.toArray(), 1);
        GatherRules.addElements(op, op.in(0), indices(places), shape, lowering.allocate(chosen));
        return chosen;
    }

    /** Returns the chosen elements, with 0 in place of ignored ones, whatever their value. */
    private ValueState scores(ValueState places, @Nullable ValueState counts) {
        return counted(chosen(places), counts);
    }

    /** Returns numbers with 0 in place of those whose count is 0. */
    private ValueState counted(ValueState numbers, @Nullable ValueState counts) {
        if (counts == null) {
            return numbers;
        }
        ValueState counted = part(ElementType.FLOAT, numbers.shape());
        Expr zero = Expr.number(0);
        lowering.defer(
                counted,
                List.of(numbers, counts),
                v -> v.getLast().combine(Operator.EQUAL, zero).choose(zero, v.getFirst()));
        lowering.materialise(counted);
        return counted;
    }

    private Indices indices(ValueState places) {
        return new Indices(op.node().describe(), lowering.dense(places), false, places.elements());
    }

    /** Returns the weight of each label; null where all count alike. */
    private @Nullable ValueState weights(ValueState places, @Nullable ValueState counts) {
        if (!op.has(WEIGHTS)) {
            return counts;
        }
        ValueState weights = part(ElementType.FLOAT, places.shape());
        var shape = new ElementShape(
                new long[] {places.elements()}, op.in(WEIGHTS).shape().toArray(), 0);
        GatherRules.addElements(op, op.in(WEIGHTS), indices(places), shape, lowering.allocate(weights));
        return counted(weights, counts);
    }

    private void reduce(ValueState chosen, @Nullable ValueState weights) {
        String reduction = op.attributes().text("reduction", "mean");
        boolean each = reduction.equals("none");
        ValueState losses = each ? op.out() : part(ElementType.FLOAT, chosen.shape());
        var factors = new ArrayList<>(List.of(chosen));
        if (weights != null) {
            factors.add(weights);
        }
        lowering.defer(
                losses, factors, v -> Formulas.negate(v.getFirst()).times(v.size() == 1 ? Expr.number(1) : v.get(1)));
        if (each) {
            return;
        }
        if (reduction.equals("sum") || weights == null) {
            addReduction(reduction.equals("sum") ? ReduceOp.SUM : ReduceOp.MEAN, losses, op.out());
            return;
        }
        ValueState total = part(ElementType.FLOAT, Shape.SCALAR);
        ValueState whole = part(ElementType.FLOAT, Shape.SCALAR);
        addReduction(ReduceOp.SUM, losses, total);
        addReduction(ReduceOp.SUM, weights, whole);
        lowering.defer(op.out(), List.of(total, whole), v -> v.get(0).over(v.get(1)));
    }

    private void addReduction(ReduceOp reduction, ValueState in, ValueState to) {
        Reductions.add(
                op, reduction, in, to, IntStream.range(0, in.shape().rank()).toArray());
    }
}
