package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import dev.millrace.providers.simd.rule.common.Tables;
import org.jspecify.annotations.Nullable;

/**
 * The rule of GroupQueryAttention of {@code com.microsoft}: new keys and values are rotated and appended to caches that
 * entries of the batch have filled to different lengths, and fused attention reads the caches in place.
 */
public final class GroupQueryRule {
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int PAST_KEY = 3;
    private static final int PAST_VALUE = 4;
    private static final int LAST_PLACES = 5;
    private static final int TOTAL = 6;
    private static final int BIAS = 10;
    private static final int SINKS = 11;
    private static final int KEY_SCALES = 12;
    private static final int VALUE_SCALES = 13;
    /** The most elements of the mask of a window. */
    private static final long MOST_OF_MASK = 1 << 26;

    private static final int[] BY_HEAD = {0, 2, 1, 3};
    private static final long[] ONES = {1, 1, 1, 1};

    private GroupQueryRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.GROUP_QUERY_ATTENTION) ? GroupQueryRule::lower : null;
    }

    /**
     * Whether a node has queries of 32-bit floats and caches of 16-bit ones. Then the steps of a run are read as they were
     * before the cache rounded them, which kernels do not: they read the cache.
     */
    public static boolean keepsFloatsInHalves(Node node) {
        if (!node.is(OpName.GROUP_QUERY_ATTENTION) || !isOfType(node.input(0), ElementType.FLOAT)) {
            return false;
        }
        Value cache = node.input(PAST_KEY) == null ? node.output(1) : node.input(PAST_KEY);
        return isOfType(cache, ElementType.FLOAT16) || isOfType(cache, ElementType.BFLOAT16);
    }

    private static boolean isOfType(@Nullable Value value, ElementType type) {
        return value != null && value.elementType() == type;
    }

    private static boolean lower(LoweringContext op) {
        long heads = op.attributes().integer("num_heads", 0);
        long keyHeads = op.attributes().integer("kv_num_heads", 0);
        if (!isSuited(op) || heads < 1 || keyHeads < 1 || heads % keyHeads != 0) {
            return false;
        }
        boolean packed = !op.has(KEY);
        long all = packed ? heads + 2 * keyHeads : heads;
        View queries = part(op, 0, all, 0, heads);
        View keys = part(op, packed ? 0 : KEY, packed ? all : keyHeads, packed ? heads : 0, keyHeads);
        View values = part(op, packed ? 0 : VALUE, packed ? all : keyHeads, packed ? heads + keyHeads : 0, keyHeads);
        if (queries == null || keys == null || values == null || !haveOneShape(queries, keys, values)) {
            return false;
        }
        int depth = Math.toIntExact(keys.shape().dim(3));
        var ofKeys = GroupQueryFormat.of(op, PAST_KEY, 1, KEY_SCALES, "k_quant_type", (int) keyHeads, depth);
        var ofValues = GroupQueryFormat.of(op, PAST_VALUE, 2, VALUE_SCALES, "v_quant_type", (int) keyHeads, depth);
        if (ofKeys == null || ofValues == null) {
            return false;
        }
        GroupQueryCache cache = cache(op, keys.shape(), ofKeys, ofValues);
        GroupQueryRotation rotation = GroupQueryRotation.of(op, queries.shape());
        if (cache == null || rotation == null || !suitsWindow(op, cache, queries.shape())) {
            return false;
        }
        View bias = op.has(BIAS) ? bias(op, queries.shape().with(3, cache.room())) : null;
        if (op.has(BIAS) && bias == null) {
            return false;
        }
        var operands = new GroupQueryOperands(queries, keys, values, bias, sinks(op, (int) heads));
        add(op, rotation, operands, cache, ofKeys, ofValues);
        return true;
    }

    /** Whether a window is wider than the cache, or a mask of bearable size that no bias stands beside. */
    private static boolean suitsWindow(LoweringContext op, GroupQueryCache cache, Shape queries) {
        long window = window(op);
        long mask = queries.dim(0) * queries.dim(2) * cache.room();
        return window < 0 || window >= cache.room() || !op.has(BIAS) && mask <= MOST_OF_MASK;
    }

    private static long window(LoweringContext op) {
        return op.attributes().integer("local_window_size", -1);
    }

    private static boolean isSuited(LoweringContext op) {
        for (int input = 0; input <= VALUE; input++) {
            if (op.has(input)
                    && (!Float16Conversion.areFloats(op.in(input).type())
                            || op.in(input).type() != op.in(0).type())) {
                return false;
            }
        }
        return op.has(KEY) == op.has(VALUE)
                && op.has(PAST_KEY) == op.has(PAST_VALUE)
                && op.in(0).shape().rank() == 3
                && (!op.has(SINKS) || suitsSinks(op))
                && op.attributes().integer("qk_output", 0) <= 0
                && op.attributes().real("softcap", 0) >= 0;
    }

    private static boolean suitsSinks(LoweringContext op) {
        ValueState sinks = op.in(SINKS);
        return Float16Conversion.areFloats(sinks.type())
                && sinks.elements() == op.attributes().integer("num_heads", 0);
    }

    /** Returns the sinks of heads, which are 0 where the softmax is smooth; null where there are none. */
    private static @Nullable View sinks(LoweringContext op, int heads) {
        if (op.has(SINKS)) {
            return op.lowering().dense(Float16Conversion.widened(op, op.in(SINKS)));
        }
        return op.attributes().integer("smooth_softmax", 0) > 0 ? Tables.floats(new float[heads]) : null;
    }

    /** Returns some of the heads of an input by batch, head, place and depth, as rows of 32-bit floats. */
    private static @Nullable View part(LoweringContext op, int input, long heads, long first, long count) {
        View whole = AttentionRules.heads(op, input, heads);
        if (whole == null) {
            return null;
        }
        View part =
                whole.sliced(new long[] {0, first, 0, 0}, ONES, whole.shape().with(1, count));
        return AttentionRules.readable(op.lowering(), Float16Conversion.widened(op, part));
    }

    private static boolean haveOneShape(View queries, View keys, View values) {
        return keys.shape().equals(values.shape())
                && keys.shape().equals(queries.shape().with(1, keys.shape().dim(1)));
    }

    private static @Nullable GroupQueryCache cache(
            LoweringContext op, Shape now, GroupQueryFormat ofKeys, GroupQueryFormat ofValues) {
        long total = op.content(TOTAL).longs()[0];
        long count = op.has(PAST_KEY) ? op.in(PAST_KEY).shape().dim(2) : 0;
        long room = Math.max(count, total);
        boolean fits = now.dim(0) > 0
                && now.dim(2) > 0
                && now.dim(2) <= room
                && room <= Integer.MAX_VALUE
                && op.in(LAST_PLACES).elements() == now.dim(0)
                && (!op.has(PAST_KEY)
                        || op.in(PAST_KEY).shape().equals(now.with(2, count).with(3, ofKeys.extent()))
                                && op.in(PAST_VALUE)
                                        .shape()
                                        .equals(now.with(2, count).with(3, ofValues.extent())));
        return fits ? new GroupQueryCache((int) count, (int) room, (int) now.dim(2), now.dim(2) == total) : null;
    }

    /** Returns the bias by batch, head, query and key; null where it does not reach all keys, or its rows are apart. */
    private static @Nullable View bias(LoweringContext op, Shape wanted) {
        ValueState value = op.in(BIAS);
        if (!Float16Conversion.areFloats(value.type()) || value.shape().dimAt(-1) < wanted.dim(3)) {
            return null;
        }
        View dense = op.lowering().dense(Float16Conversion.widened(op, value));
        return dense.broadcast(wanted.with(3, value.shape().dimAt(-1)));
    }

    private static void add(
            LoweringContext op,
            GroupQueryRotation rotation,
            GroupQueryOperands operands,
            GroupQueryCache cache,
            GroupQueryFormat ofKeys,
            GroupQueryFormat ofValues) {
        PartitionCompiler lowering = op.lowering();
        Shape now = operands.keys().shape();
        Shape whole = now.with(2, cache.room());
        View queries = operands.queries();
        ValueState out = Float16Conversion.wide(op, op.out());
        Shape byPlace = Shape.of(
                now.dim(0), now.dim(2), queries.shape().dim(1), queries.shape().dim(3));
        View dense = lowering.allocate(out);
        var step = new GroupQueryStep(
                shape(queries, now, cache),
                rotation,
                operands,
                rotation.isNone() ? queries : lowering.allocate(queries.type(), queries.shape()),
                rotation.isNone() || !ofKeys.isStored() ? null : lowering.allocate(ElementType.FLOAT, now),
                ofKeys,
                ofValues,
                lowering.dense(op.in(LAST_PLACES)),
                cache,
                past(op, PAST_KEY),
                past(op, PAST_VALUE),
                present(op, 1, whole, ofKeys),
                present(op, 2, whole, ofValues),
                View.dense(dense.storage(), dense.type(), byPlace).transposed(BY_HEAD),
                scale(op, queries.shape().dim(3)),
                op.attributes().real("softcap", 0),
                Math.clamp(window(op), -1, cache.room()));
        lowering.add(step.of(op));
        allowInPlace(lowering, step.pastKeys(), step.keys());
        allowInPlace(lowering, step.pastValues(), step.values());
        Float16Conversion.finish(op, op.out(), out);
    }

    /** Allows a present in the memory of a past that has room for it. */
    private static void allowInPlace(PartitionCompiler lowering, @Nullable View past, View present) {
        if (past != null && past.shape().equals(present.shape())) {
            lowering.mayReuse(present, past);
        }
    }

    private static AttentionShape shape(View queries, Shape now, GroupQueryCache cache) {
        int depth = Math.toIntExact(now.dim(3));
        return new AttentionShape(
                Math.toIntExact(now.dim(0)),
                Math.toIntExact(queries.shape().dim(1)),
                Math.toIntExact(now.dim(1)),
                cache.now(),
                cache.room(),
                depth,
                depth);
    }

    private static float scale(LoweringContext op, long depth) {
        float scale = op.attributes().real("scale", 0);
        return scale == 0 ? (float) (1 / Math.sqrt(depth)) : scale;
    }

    private static @Nullable View past(LoweringContext op, int input) {
        return op.has(input) ? op.lowering().dense(op.in(input)) : null;
    }

    /** Returns the memory of a cache with the new rows. */
    private static View present(LoweringContext op, int output, Shape whole, GroupQueryFormat format) {
        return op.wants(output)
                ? op.lowering().allocate(op.out(output))
                : op.lowering().allocate(format.element(), whole.with(3, format.extent()));
    }
}
