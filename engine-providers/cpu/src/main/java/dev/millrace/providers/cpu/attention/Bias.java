package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bias of ONNX's Attention, added to the scores of a query: the mask (false is minus infinity), and minus infinity
 * for keys that a causal attention must not see, for keys beyond the end of the mask, and for padding.
 */
final class Bias implements ScoreBias {
    private final @Nullable Broadcast mask;
    private final boolean truth;
    private final int maskSteps;
    private final boolean causal;
    private final int heads;
    private final int queries;
    private final int keys;
    private final int past;
    private final @Nullable ElementType lengthType;

    private Bias(BindContext context, boolean causal, HeadLayout q, InputRows k) {
        this.causal = causal;
        this.heads = q.heads();
        this.queries = q.steps();
        this.keys = k.steps();
        this.past = k.pastSteps();
        this.lengthType = context.hasInput(6) ? context.inputType(6) : null;
        if (context.hasInput(3)) {
            Shape shape = context.inputShape(3);
            this.truth = context.inputType(3) == ElementType.BOOL;
            this.maskSteps = shape.dimAt(-1) == 1 ? keys : ArrayExtents.toInt("keys of the mask", shape.dimAt(-1));
            this.mask = Broadcast.of(context.inputType(3), shape, Shape.of(q.batch(), heads, queries, maskSteps));
        } else {
            this.truth = false;
            this.maskSteps = keys;
            this.mask = null;
        }
    }

    static Bias of(BindContext context, boolean causal, HeadLayout q, InputRows k) {
        return new Bias(context, causal, q, k);
    }

    @Override
    public boolean isNone() {
        return mask == null && !causal && lengthType == null;
    }

    @Override
    public void read(LaunchContext launch, int b, int head, int query, float[] to) {
        Arrays.fill(to, 0, keys, 0f);
        if (mask != null) {
            int count = Math.min(maskSteps, keys);
            mask.read(launch.input(3), (((long) b * heads + head) * queries + query) * maskSteps, to, count);
            for (int i = 0; i < count && truth; i++) {
                to[i] = to[i] != 0 ? 0 : Float.NEGATIVE_INFINITY;
            }
            Arrays.fill(to, count, keys, Float.NEGATIVE_INFINITY);
        }
        long seen = keys;
        long offset = past;
        if (lengthType != null) {
            seen = Math.clamp(Elements.getLong(lengthType, launch.input(6), b), 0, keys);
            offset = seen - queries;
        }
        if (causal) {
            seen = Math.min(seen, query + offset + 1);
        }
        Arrays.fill(to, (int) Math.clamp(seen, 0, keys), keys, Float.NEGATIVE_INFINITY);
    }
}
