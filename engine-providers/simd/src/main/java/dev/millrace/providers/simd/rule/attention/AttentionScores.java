package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.Formula;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.OutputViews;
import dev.millrace.providers.simd.rule.common.Reductions;
import dev.millrace.providers.simd.rule.product.ProductRoot;
import dev.millrace.providers.simd.rule.reduce.SoftmaxRules;
import java.util.List;
import java.util.Objects;

/**
 * The scores of an attention where they are an output, too. They are computed by themselves, since those that weigh
 * values are never in memory all at once.
 */
final class AttentionScores {
    static final int OUTPUT = 3;

    private static final int MASK = 3;
    private static final int LENGTHS = 6;
    private static final int CAPPED = 1;
    private static final int BIASED = 2;
    private static final int PROBABILITIES = 3;

    private AttentionScores() {}

    private static int stage(LoweringContext op) {
        return Math.toIntExact(op.attributes().integer("qk_matmul_output_mode", 0));
    }

    /** Whether the scores of a node can be had, or nobody wants them. */
    static boolean suit(LoweringContext op, long keys) {
        int stage = op.wants(OUTPUT) ? stage(op) : 0;
        if (stage < BIASED) {
            return true;
        }
        boolean hides = op.attributes().flag("is_causal", false) || op.has(LENGTHS);
        boolean reaches = !op.has(MASK)
                || op.in(MASK).shape().rank() > 0 && op.in(MASK).shape().dimAt(-1) == keys;
        return stage <= PROBABILITIES && !hides && reaches;
    }

    /** Adds what computes them, of queries and keys by batch, head, place and depth. */
    static void add(LoweringContext op, View queries, View keys, float scale, float cap) {
        PartitionCompiler lowering = op.lowering();
        ValueState out = op.out(OUTPUT);
        int stage = stage(op);
        ValueState raw = raw(lowering, out, queries, keys, v -> {
            Expr score = v.getFirst().times(Expr.number(scale));
            boolean capped = stage >= CAPPED && cap != 0;
            return capped
                    ? score.over(Expr.number(cap)).apply(FloatFunction.TANH).times(Expr.number(cap))
                    : score;
        });
        ValueState mask = stage < BIASED || !op.has(MASK) ? null : op.in(MASK);
        ValueState biased = mask == null ? raw : biased(lowering, out, raw, mask);
        ValueState result = stage < PROBABILITIES ? biased : probabilities(op, biased);
        if (out.isFloat()) {
            lowering.provide(out, lowering.dense(result));
        } else {
            lowering.defer(out, List.of(result), List::getFirst);
        }
    }

    /** Products of all queries and keys, those of heads that share keys one behind the other. */
    private static ValueState raw(PartitionCompiler lowering, ValueState out, View queries, View keys, Formula after) {
        Shape q = queries.shape();
        Shape k = keys.shape();
        long shared = q.dim(1) / k.dim(1);
        ValueState left =
                OutputViews.of(lowering, out, queries, Shape.of(q.dim(0), k.dim(1), shared, q.dim(2), q.dim(3)));
        ValueState right = OutputViews.of(lowering, out, keys, Shape.of(k.dim(0), k.dim(1), 1, k.dim(2), k.dim(3)));
        Shape all = Shape.of(q.dim(0), k.dim(1), shared, q.dim(2), k.dim(2));
        ValueState product = lowering.part(out, ElementType.FLOAT, all);
        lowering.defer(product, Objects.requireNonNull(ProductRoot.of(lowering, left, right, false, true, all)));
        ValueState scores = lowering.part(out, ElementType.FLOAT, all);
        lowering.defer(scores, List.of(product), after);
        return OutputViews.of(lowering, out, lowering.dense(scores), Shape.of(q.dim(0), q.dim(1), q.dim(2), k.dim(2)));
    }

    private static ValueState biased(PartitionCompiler lowering, ValueState out, ValueState raw, ValueState mask) {
        ValueState biased = lowering.part(out, ElementType.FLOAT, raw.shape());
        boolean chosen = mask.type() == ElementType.BOOL;
        Expr hidden = Expr.number(Float.NEGATIVE_INFINITY);
        lowering.defer(
                biased,
                List.of(raw, mask),
                v -> chosen
                        ? v.get(1).choose(v.get(0), hidden)
                        : v.get(1)
                                .combine(Operator.EQUAL, hidden)
                                .choose(hidden, v.get(0).plus(v.get(1))));
        return biased;
    }

    /** A query that sees no key gives nothing but zeros. */
    private static ValueState probabilities(LoweringContext op, ValueState scores) {
        PartitionCompiler lowering = op.lowering();
        Shape shape = scores.shape();
        ValueState out = op.out(OUTPUT);
        ValueState chances = lowering.part(out, ElementType.FLOAT, shape);
        SoftmaxRules.add(
                op, false, lowering.dense(scores), lowering.allocate(chances), shape.elements(0, 3), shape.dim(3), 1);
        ValueState best = lowering.part(out, ElementType.FLOAT, shape.with(3, 1));
        Reductions.add(op, ReduceOp.MAX, scores, best, 3);
        ValueState seen = lowering.part(out, ElementType.FLOAT, shape);
        lowering.defer(
                seen,
                List.of(chances, best),
                v -> v.get(1)
                        .combine(Operator.EQUAL, Expr.number(Float.NEGATIVE_INFINITY))
                        .choose(Expr.number(0), v.get(0)));
        return seen;
    }
}
