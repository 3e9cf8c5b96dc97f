package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.ScoreRule;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of attention operators, which become fused attention. Keys and values are read in place if they are 32-bit
 * floats.
 */
public final class AttentionRules {

    /**
     * The attributes and inputs of an attention operator: names of attributes, indices of inputs.
     *
     * @param lengths the input with the number of keys of each entry of the batch; -1 where there is none
     */
    private record Form(
            String heads, String keyHeads, String causal, int mask, int pastKey, int pastValue, int lengths) {}

    private static final Form OF_ONNX = new Form("q_num_heads", "kv_num_heads", "is_causal", 3, 4, 5, 6);
    private static final Form MULTI_HEAD = new Form("num_heads", "num_heads", "unidirectional", 5, 6, 7, -1);

    /**
     * The inputs of MultiHeadAttention that the rule does not support: the bias of projections, the padding mask and
     * the length of the past.
     */
    private static final List<Integer> NOT_READ = List.of(3, 4, 8);

    private AttentionRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.ATTENTION -> op -> op.node().op().domain().equals(OpId.ONNX) && lower(op, OF_ONNX);
            case OpName.MULTI_HEAD_ATTENTION -> op -> areApart(op) && lower(op, MULTI_HEAD);
            default -> null;
        };
    }

    /** Whether queries, keys and values of a MultiHeadAttention are separate inputs in a supported form. */
    private static boolean areApart(LoweringContext op) {
        return op.has(1)
                && op.has(2)
                && op.in(0).shape().rank() == 3
                && NOT_READ.stream().noneMatch(op::has)
                && !op.wants(AttentionScores.OUTPUT);
    }

    private static boolean lower(LoweringContext op, Form form) {
        if (!areSuited(op, form)) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        View queries = heads(op, 0, op.attributes().integer(form.heads(), 0));
        long keyHeads = op.attributes().integer(form.keyHeads(), 0);
        View newKeys = heads(op, 1, keyHeads);
        View newValues = heads(op, 2, keyHeads);
        if (queries == null || newKeys == null || newValues == null) {
            return false;
        }
        if (newKeys.shape().dim(1) == 0
                || queries.shape().dim(1) % newKeys.shape().dim(1) != 0
                || !goTogether(queries.shape(), newKeys.shape(), newValues.shape())
                || !continues(op, form.pastKey(), newKeys.shape(), past(op, form))
                || !continues(op, form.pastValue(), newValues.shape(), past(op, form))) {
            return false;
        }
        long past = past(op, form);
        if (!AttentionScores.suit(op, past + newKeys.shape().dim(2))) {
            return false;
        }
        ValueState lengths = form.lengths() < 0 ? null : op.find(form.lengths());
        AttentionBias bias = AttentionBias.of(
                op, form.mask(), lengths, past + newKeys.shape().dim(2), queries);
        if (bias == null) {
            return false;
        }
        queries = Float16Conversion.widened(op, queries);
        View keys = Float16Conversion.widened(op, withPast(op, form.pastKey(), newKeys, 1));
        View values = Float16Conversion.widened(op, withPast(op, form.pastValue(), newValues, 2));
        ValueState out = Float16Conversion.wide(op, op.out());
        var shape = new AttentionShape(
                extent(queries, 0),
                extent(queries, 1),
                extent(keys, 1),
                extent(queries, 2),
                bias.keys(),
                extent(queries, 3),
                extent(values, 3));
        float scale = scale(op, form, shape);
        float cap = op.attributes().real("softcap", 0);
        var step = new AttentionStep(
                shape,
                readable(lowering, queries),
                readable(lowering, keys),
                readable(lowering, values),
                output(op, out, shape),
                scale,
                cap,
                new ScoreRule(bias.kind(), cap > 0 ? ScoreRule.Cap.BEFORE_MASK : ScoreRule.Cap.NONE, false, false),
                bias,
                op.attributes().flag(form.causal(), false),
                Math.toIntExact(past));
        lowering.add(step.of(op));
        Float16Conversion.finish(op, op.out(), out);
        if (op.wants(AttentionScores.OUTPUT)) {
            AttentionScores.add(op, queries, keys, scale, cap);
        }
        return true;
    }

    /** Returns the scale. MultiHeadAttention means the default by a scale of 0. */
    private static float scale(LoweringContext op, Form form, AttentionShape shape) {
        float usual = (float) (1 / Math.sqrt(shape.depth()));
        float scale = op.attributes().real("scale", usual);
        return form == MULTI_HEAD && scale == 0 ? usual : scale;
    }

    private static boolean areSuited(LoweringContext op, Form form) {
        for (int i : List.of(0, 1, 2, form.pastKey(), form.pastValue())) {
            if (op.has(i) && !Float16Conversion.areFloats(op.in(i).type())) {
                return false;
            }
        }
        boolean cached = op.has(form.pastKey()) == op.has(form.pastValue());
        return cached && op.attributes().real("softcap", 0) >= 0;
    }

    /** Whether the shapes of queries, keys and values match. Where they do not, the fallback reports the error. */
    private static boolean goTogether(Shape queries, Shape keys, Shape values) {
        return queries.dim(0) == keys.dim(0)
                && keys.dim(0) == values.dim(0)
                && keys.dim(1) == values.dim(1)
                && keys.dim(2) == values.dim(2)
                && keys.dim(3) == queries.dim(3);
    }

    /**
     * Whether a past has the right shape: as many positions as the other past, and else the shape of the new keys or
     * values.
     */
    private static boolean continues(LoweringContext op, int past, Shape now, long places) {
        return !op.has(past) || op.in(past).shape().equals(now.with(2, places));
    }

    private static long past(LoweringContext op, Form form) {
        return op.has(form.pastKey()) ? op.in(form.pastKey()).shape().dim(2) : 0;
    }

    private static int extent(View view, int axis) {
        return Math.toIntExact(view.shape().dim(axis));
    }

    /** Returns an operand by batch, head, position and depth; null where its shape is not supported. */
    static @Nullable View heads(LoweringContext op, int input, long heads) {
        Shape shape = op.in(input).shape();
        if (shape.rank() == 4) {
            return shape.dim(3) < 1 ? null : op.lowering().view(op.in(input));
        }
        if (shape.rank() != 3 || heads < 1 || shape.dim(2) < heads || shape.dim(2) % heads != 0) {
            return null;
        }
        Shape apart = Shape.of(shape.dim(0), shape.dim(1), heads, shape.dim(2) / heads);
        View view = op.lowering().view(op.in(input)).reshaped(apart);
        return view == null ? null : view.transposed(new int[] {0, 2, 1, 3});
    }

    /** Returns keys or values appended to those of the past, which are an output, too. */
    private static View withPast(LoweringContext op, int past, View now, int output) {
        PartitionCompiler lowering = op.lowering();
        if (!op.has(past)) {
            if (op.wants(output)) {
                lowering.provide(op.out(output), now);
            }
            return now;
        }
        ValueState before = op.in(past);
        long there = before.shape().dim(2);
        Shape all = now.shape().with(2, there + now.shape().dim(2));
        View whole = op.wants(output) ? lowering.allocate(op.out(output)) : lowering.allocate(now.type(), all);
        long[] steps = new long[4];
        Arrays.fill(steps, 1);
        lowering.copy(lowering.view(before), whole.sliced(new long[4], steps, before.shape()), before.name());
        lowering.copy(
                now,
                whole.sliced(new long[] {0, 0, there, 0}, steps, now.shape()),
                op.node().name());
        return whole;
    }

    /** Returns a view whose rows are contiguous, of a copy where necessary. */
    static View readable(PartitionCompiler lowering, View view) {
        if (AttentionStep.isReadable(view)) {
            return view;
        }
        View copy = lowering.allocate(view.type(), view.shape());
        lowering.copy(view, copy, "rows of heads");
        return copy;
    }

    /** Returns a view for the output by batch, head, position and depth. */
    private static View output(LoweringContext op, ValueState out, AttentionShape shape) {
        Shape byPlace = Shape.of(shape.batch(), shape.queries(), shape.heads(), shape.valueDepth());
        int[] order = {0, 2, 1, 3};
        if (op.in(0).shape().rank() == 3) {
            View dense = op.lowering().allocate(out);
            return View.dense(dense.storage(), dense.type(), byPlace).transposed(order);
        }
        if (out != op.out() || !isReadByPlace(op.node())) {
            return op.lowering().allocate(out);
        }
        View view = op.lowering().allocate(ElementType.FLOAT, byPlace).transposed(order);
        op.lowering().provide(op.out(), view);
        return view;
    }

    /** Whether all readers of the output transpose heads and positions first. */
    private static boolean isReadByPlace(Node node) {
        Value output = node.requireOutput(0);
        for (Node user : output.users()) {
            long[] perm = user.op().isOnnx(OpName.TRANSPOSE) ? user.attributes().integers("perm") : null;
            if (perm == null || !Arrays.equals(perm, new long[] {0, 2, 1, 3})) {
                return false;
            }
        }
        return !output.isGraphOutput();
    }
}
