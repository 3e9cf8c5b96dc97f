package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.attention.ScoreOutput.Stage;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

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
    private static final int KEY_SCALE = 12;
    private static final int VALUE_SCALE = 13;

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        HeadLayout[] layouts = layouts(context, attributes);
        HeadLayout q = layouts[0];
        int total =
                ArrayExtents.toInt("steps in all", context.requireValue(TOTAL).longs()[0]);
        CacheSteps steps = CacheSteps.of(context, q.steps(), total);
        RotaryRows rotation = attributes.flag("do_rotary", false)
                ? RotaryRows.ofGroups(context, attributes.flag("rotary_interleaved", false), q.size())
                : null;
        boolean together = !context.hasInput(1);
        CacheFormat ofKeys = CacheFormat.of(context, PAST_KEY, 1, KEY_SCALE, "k_quant_type", layouts[1]);
        CacheFormat ofValues = CacheFormat.of(context, PAST_VALUE, 2, VALUE_SCALE, "v_quant_type", layouts[2]);
        ElementType type = context.inputType(0);
        var queries = new CachedRows(0, q, steps, null, rotation, type);
        var keys = new CachedRows(together ? 0 : 1, layouts[1], steps, ofKeys, rotation, type);
        var values = new CachedRows(together ? 0 : 2, layouts[2], steps, ofValues, null, type);
        float scale = attributes.real("scale", 0f);
        GroupQueryBias bias = GroupQueryBias.of(context, attributes.integer("local_window_size", -1), q, steps);
        var task = new ScaledDotProductTask(
                HeadLayout.sideBySide(q.batch(), q.steps(), q.size(), q.heads(), 0, q.heads()),
                queries,
                keys,
                values,
                bias,
                scale == 0 ? (float) (1 / Math.sqrt(q.size())) : scale,
                attributes.real("softcap", 0f),
                sink(context, q.heads()),
                scores(context, q, total, bias),
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
                keys.writeCache(launch, ofKeys, 1);
            }
            if (presentValues) {
                values.writeCache(launch, ofValues, 2);
            }
            launch.parallelFor(task.items(), 1, task);
        };
    }

    private @Nullable ScoreSink sink(BindContext context, int heads) {
        if (context.hasInput(SINK)) {
            if (context.inputShape(SINK).elements() != heads) {
                throw EngineException.invalidArgument(
                        node.describe() + ": a sink of shape " + context.inputShape(SINK) + " for " + heads + " heads");
            }
            return new ScoreSink(SINK, context.inputType(SINK));
        }
        boolean smooth = node.attributes().integer("smooth_softmax", 0) > 0;
        return smooth ? new ScoreSink(-1, context.inputType(0)) : null;
    }

    private @Nullable ScoreOutput scores(BindContext context, HeadLayout q, int total, GroupQueryBias bias) {
        long number = node.attributes().integer("qk_output", 0);
        if (number == 0) {
            return null;
        }
        Stage stage = number == 1 ? Stage.BIASED : Stage.PROBABILITIES;
        ScoreOutput output = ScoreOutput.of(context, stage.ordinal(), q, total);
        return output == null ? null : output.hiding(bias);
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
