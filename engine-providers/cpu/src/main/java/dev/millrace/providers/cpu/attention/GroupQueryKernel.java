package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * GroupQueryAttention of {@code com.microsoft}: queries attend to a cache of keys and values that entries of the batch
 * have filled to different lengths. Several query heads share one head of keys. Rows can be rotated by their positions
 * (RoPE).
 */
record GroupQueryKernel(Node node) implements ShapedKernel {
    private static final int PAST_KEY = 3;
    private static final int PAST_VALUE = 4;
    private static final int TOTAL = 6;
    private static final int SINK = 11;
    private static final int INPUTS = 14;

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        for (int input = SINK; input < INPUTS; input++) {
            refuse(context.hasInput(input), "input " + input);
        }
        refuse(attributes.integer("smooth_softmax", 0) > 0, "a smooth softmax");
        refuse(attributes.integer("qk_output", 0) > 0, "scores as an output");
        boolean otherCache = context.hasInput(PAST_KEY) && context.inputType(PAST_KEY) != context.inputType(0);
        refuse(otherCache, "a cache of another type");
        HeadLayout[] layouts = layouts(context, attributes);
        HeadLayout q = layouts[0];
        int total =
                ArrayExtents.toInt("steps in all", context.requireValue(TOTAL).longs()[0]);
        CacheSteps steps = CacheSteps.of(context, q.steps(), total);
        RotaryRows rotation = attributes.flag("do_rotary", false)
                ? RotaryRows.ofGroups(context, attributes.flag("rotary_interleaved", false), q.size())
                : null;
        boolean together = !context.hasInput(1);
        var queries = CachedRows.of(context, 0, q, -1, steps, rotation);
        var keys = CachedRows.of(context, together ? 0 : 1, layouts[1], PAST_KEY, steps, rotation);
        var values = CachedRows.of(context, together ? 0 : 2, layouts[2], PAST_VALUE, steps, null);
        float scale = attributes.real("scale", 0f);
        ElementType type = context.inputType(0);
        var task = new ScaledDotProductTask(
                HeadLayout.sideBySide(q.batch(), q.steps(), q.size(), q.heads(), 0, q.heads()),
                queries,
                keys,
                values,
                GroupQueryBias.of(context, attributes.integer("local_window_size", -1), q, steps),
                scale == 0 ? (float) (1 / Math.sqrt(q.size())) : scale,
                attributes.real("softcap", 0f),
                -1,
                type);
        boolean presentKeys = context.outputCount() > 1 && context.hasOutput(1);
        boolean presentValues = context.outputCount() > 2 && context.hasOutput(2);
        if (steps.pastRoom() == steps.present()) {
            // each row of a past is written where it is read
            context.mayReuse(1, PAST_KEY);
            context.mayReuse(2, PAST_VALUE);
        }
        return launch -> {
            if (presentKeys) {
                keys.write(launch, type, 1);
            }
            if (presentValues) {
                values.write(launch, type, 2);
            }
            launch.parallelFor(task.items(), 1, task);
        };
    }

    private void refuse(boolean present, String what) {
        if (present) {
            throw EngineException.notImplemented(node.describe() + ": " + what);
        }
    }

    /**
     * Returns the layouts of queries, keys and values, which are packed in the first input where there is no second.
     */
    private HeadLayout[] layouts(BindContext context, Attributes attributes) {
        long heads = attributes.integer("num_heads", 0);
        long keyHeads = attributes.integer("kv_num_heads", 0);
        if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0) {
            throw EngineException.invalidGraph(
                    node.describe() + ": " + heads + " heads of queries cannot share " + keyHeads + " of keys");
        }
        Shape shape = context.inputShape(0);
        if (context.hasInput(1)) {
            return new HeadLayout[] {
                HeadLayout.of(shape, heads),
                HeadLayout.of(context.inputShape(1), keyHeads),
                HeadLayout.of(context.inputShape(2), keyHeads)
            };
        }
        long all = heads + 2 * keyHeads;
        HeadLayout whole = HeadLayout.of(shape, all);
        return new HeadLayout[] {
            part(whole, heads, 0, all), part(whole, keyHeads, heads, all), part(whole, keyHeads, heads + keyHeads, all)
        };
    }

    private static HeadLayout part(HeadLayout whole, long heads, long first, long all) {
        return HeadLayout.sideBySide(whole.batch(), whole.steps(), whole.size(), (int) heads, first, all);
    }
}
