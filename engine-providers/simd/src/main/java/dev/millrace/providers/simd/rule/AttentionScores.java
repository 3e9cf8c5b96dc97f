package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Function;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Formula;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.program.View;
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

    private static int stage(Op op) {
        return Math.toIntExact(op.attributes().integer("qk_matmul_output_mode", 0));
    }

    /** Whether the scores of a node can be had, or nobody wants them. */
    static boolean suit(Op op, long keys) {
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
    static void add(Op op, View queries, View keys, float scale, float cap) {
        Lowering lowering = op.lowering();
        Cell out = op.out(OUTPUT);
        int stage = stage(op);
        Cell raw = raw(lowering, out, queries, keys, v -> {
            Expr score = v.getFirst().times(Expr.number(scale));
            boolean capped = stage >= CAPPED && cap != 0;
            return capped ? score.over(Expr.number(cap)).apply(Function.TANH).times(Expr.number(cap)) : score;
        });
        Cell mask = stage < BIASED || !op.has(MASK) ? null : op.in(MASK);
        Cell biased = mask == null ? raw : biased(lowering, out, raw, mask);
        Cell result = stage < PROBABILITIES ? biased : probabilities(op, biased);
        if (out.isFloat()) {
            lowering.provide(out, lowering.dense(result));
        } else {
            lowering.pend(out, List.of(result), List::getFirst);
        }
    }

    /** Products of all queries and keys, those of heads that share keys one behind the other. */
    private static Cell raw(Lowering lowering, Cell out, View queries, View keys, Formula after) {
        Shape q = queries.shape();
        Shape k = keys.shape();
        long shared = q.dim(1) / k.dim(1);
        Cell left = Parts.of(lowering, out, queries, Shape.of(q.dim(0), k.dim(1), shared, q.dim(2), q.dim(3)));
        Cell right = Parts.of(lowering, out, keys, Shape.of(k.dim(0), k.dim(1), 1, k.dim(2), k.dim(3)));
        Shape all = Shape.of(q.dim(0), k.dim(1), shared, q.dim(2), k.dim(2));
        Cell product = lowering.part(out, ElementType.FLOAT, all);
        lowering.pend(product, Objects.requireNonNull(ProductAnchor.of(lowering, left, right, false, true, all)));
        Cell scores = lowering.part(out, ElementType.FLOAT, all);
        lowering.pend(scores, List.of(product), after);
        return Parts.of(lowering, out, lowering.dense(scores), Shape.of(q.dim(0), q.dim(1), q.dim(2), k.dim(2)));
    }

    private static Cell biased(Lowering lowering, Cell out, Cell raw, Cell mask) {
        Cell biased = lowering.part(out, ElementType.FLOAT, raw.shape());
        boolean chosen = mask.type() == ElementType.BOOL;
        Expr hidden = Expr.number(Float.NEGATIVE_INFINITY);
        lowering.pend(
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
    private static Cell probabilities(Op op, Cell scores) {
        Lowering lowering = op.lowering();
        Shape shape = scores.shape();
        Cell out = op.out(OUTPUT);
        Cell chances = lowering.part(out, ElementType.FLOAT, shape);
        SoftmaxRules.add(
                op, false, lowering.dense(scores), lowering.allocate(chances), shape.elements(0, 3), shape.dim(3), 1);
        Cell best = lowering.part(out, ElementType.FLOAT, shape.with(3, 1));
        Reductions.add(op, ReduceOp.MAX, scores, best, 3);
        Cell seen = lowering.part(out, ElementType.FLOAT, shape);
        lowering.pend(
                seen,
                List.of(chances, best),
                v -> v.get(1)
                        .combine(Operator.EQUAL, Expr.number(Float.NEGATIVE_INFINITY))
                        .choose(Expr.number(0), v.get(0)));
        return seen;
    }
}
