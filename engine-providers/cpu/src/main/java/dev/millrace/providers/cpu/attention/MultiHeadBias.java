package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bias of MultiHeadAttention, added to scores: a number for keys that its padding mask hides, an input, and minus
 * infinity for keys after the query in unidirectional attention.
 */
final class MultiHeadBias implements ScoreBias {
    private static final int PADDING = 4;
    private static final int ADDED = 5;

    /** The forms of a padding mask. */
    private enum Padding {
        NONE,
        /** The number of keys of each entry of the batch. */
        LENGTHS,
        /** The bounds of the keys of each entry: all ends, then all starts. */
        BOUNDS,
        /** A flag for each key, by entry of the batch and, where it has three axes, by query. */
        KEYS
    }

    private final int batch;
    private final int heads;
    private final int queries;
    private final int keys;
    private final int past;
    private final boolean causal;
    private final float hidden;
    private final Padding padding;
    private final boolean paddingByQuery;
    private final @Nullable ElementType paddingType;
    private final @Nullable Broadcast added;

    private MultiHeadBias(BindContext context, Attributes attributes, HeadLayout q, InputRows k) {
        batch = q.batch();
        heads = q.heads();
        queries = q.steps();
        keys = k.steps();
        past = k.pastSteps();
        causal = attributes.flag("unidirectional", false);
        hidden = attributes.real("mask_filter_value", -10000f);
        boolean padded = context.hasInput(PADDING);
        paddingType = padded ? context.inputType(PADDING) : null;
        Shape shape = padded ? context.inputShape(PADDING) : Shape.of();
        padding = !padded ? Padding.NONE : shape.rank() == 1 ? byEntry(shape, q.batch()) : Padding.KEYS;
        paddingByQuery = shape.rank() == 3;
        boolean fits = padding == Padding.NONE
                || padding == Padding.BOUNDS
                || shape.rank() > 0
                        && shape.dim(0) == q.batch()
                        && (padding == Padding.LENGTHS
                                || shape.rank() <= 3
                                        && shape.dimAt(-1) == keys
                                        && (!paddingByQuery || shape.dim(1) == queries));
        if (!fits) {
            throw EngineException.notImplemented(context.node().describe() + ": a mask of padding of shape " + shape
                    + " for " + q.batch() + " times " + queries + " queries and " + keys + " keys");
        }
        added = context.hasInput(ADDED)
                ? Broadcast.of(
                        context.inputType(ADDED), context.inputShape(ADDED), Shape.of(q.batch(), heads, queries, keys))
                : null;
    }

    private static Padding byEntry(Shape shape, int batch) {
        return shape.dim(0) == 2L * batch ? Padding.BOUNDS : Padding.LENGTHS;
    }

    static ScoreBias of(BindContext context, Attributes attributes, HeadLayout q, InputRows k) {
        return new MultiHeadBias(context, attributes, q, k);
    }

    @Override
    public boolean isNone() {
        return padding == Padding.NONE && added == null && !causal;
    }

    @Override
    public void read(LaunchContext launch, int b, int head, int query, float[] to) {
        if (added == null) {
            Arrays.fill(to, 0, keys, 0f);
        } else {
            added.read(launch.input(ADDED), (((long) b * heads + head) * queries + query) * keys, to, keys);
        }
        ElementType type = paddingType;
        if (type != null && padding != Padding.KEYS) {
            int end = (int) Math.clamp(Elements.getLong(type, launch.input(PADDING), b), 0, keys);
            long first = padding == Padding.BOUNDS ? Elements.getLong(type, launch.input(PADDING), batch + b) : 0;
            for (int i = 0; i < keys; i++) {
                to[i] += i < first || i >= end ? hidden : 0;
            }
        } else if (type != null) {
            long row = (paddingByQuery ? (long) b * queries + query : b) * keys;
            for (int i = 0; i < keys; i++) {
                to[i] += Elements.getLong(type, launch.input(PADDING), row + i) > 0 ? 0 : hidden;
            }
        }
        if (causal) {
            Arrays.fill(to, Math.min(keys, past + query + 1), keys, Float.NEGATIVE_INFINITY);
        }
    }
}
