package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bias of GroupQueryAttention, added to scores: an input, and minus infinity for keys after the query or beyond the
 * window before it.
 *
 * @param window the number of keys that a query sees, its own included; negative for all before it
 */
record GroupQueryBias(
        long window,
        HeadLayout q,
        CacheSteps steps,
        @Nullable Broadcast added,
        int addedKeys) implements ScoreBias {
    private static final int ADDED = 10;

    static GroupQueryBias of(BindContext context, long window, HeadLayout q, CacheSteps steps) {
        if (!context.hasInput(ADDED)) {
            return new GroupQueryBias(window, q, steps, null, 0);
        }
        Shape shape = context.inputShape(ADDED);
        int keys = (int) Math.min(shape.dimAt(-1), steps.present());
        Shape whole = Shape.of(q.batch(), q.heads(), q.steps(), shape.dimAt(-1));
        return new GroupQueryBias(window, q, steps, Broadcast.of(context.inputType(ADDED), shape, whole), keys);
    }

    @Override
    public boolean isNone() {
        return false;
    }

    @Override
    public void read(LaunchContext launch, int b, int head, int query, float[] to) {
        int keys = steps.present();
        Arrays.fill(to, 0, keys, 0f);
        if (added != null) {
            long row = ((long) b * q.heads() + head) * q.steps() + query;
            added.read(launch.input(ADDED), row * addedKeys, to, addedKeys);
        }
        int end = end(launch, b, query);
        Arrays.fill(to, end, keys, Float.NEGATIVE_INFINITY);
        Arrays.fill(to, 0, first(end), Float.NEGATIVE_INFINITY);
    }

    /** Returns the number of keys up to that of a query. */
    int end(LaunchContext launch, int b, int query) {
        return Math.min(steps.present(), steps.past(launch, b) + query + 1);
    }

    /** Returns the first key of the window that ends before a key. */
    int first(int end) {
        return window < 0 ? 0 : (int) Math.clamp(end - window, 0, end);
    }
}
