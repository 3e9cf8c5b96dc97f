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
 * MultiHeadAttention of {@code com.microsoft}: queries, keys and values side by side or each in a tensor of its own, with
 * the bias of their projections, a mask of padding, a bias of scores, and a past.
 */
record MultiHeadKernel(Node node) implements ShapedKernel {
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int BIAS = 3;
    private static final int PAST_KEY = 6;
    private static final int PAST_VALUE = 7;
    private static final int PAST_LENGTH = 8;

    @Override
    public Launch bind(BindContext context) {
        refuse(context.hasInput(PAST_LENGTH), "a cache that is larger than its content");
        InputRows q = rows(context, 0);
        InputRows k = rows(context, KEY).after(context, PAST_KEY);
        InputRows v = rows(context, VALUE).after(context, PAST_VALUE);
        checkAlike(q, k, v);
        Attributes attributes = node.attributes();
        HeadLayout rows = q.now();
        var out = HeadLayout.sideBySide(rows.batch(), rows.steps(), rows.size(), rows.heads(), 0, rows.heads());
        float scale = attributes.real("scale", 0f);
        ElementType type = context.inputType(0);
        var task = new ScaledDotProductTask(
                out,
                q,
                k,
                v,
                MultiHeadBias.of(context, attributes, rows, k),
                scale == 0 ? (float) (1 / Math.sqrt(rows.size())) : scale,
                0,
                null,
                ScoreOutput.of(context, 0, rows, k.steps()),
                type);
        boolean keys = context.outputCount() > 1 && context.hasOutput(1);
        boolean values = context.outputCount() > 2 && context.hasOutput(2);
        return launch -> {
            if (keys) {
                k.write(launch, type, 1);
            }
            if (values) {
                v.write(launch, type, 2);
            }
            launch.parallelFor(task.items(), 1, task);
        };
    }

    private void checkAlike(InputRows q, InputRows k, InputRows v) {
        HeadLayout rows = q.now();
        HeadLayout keys = k.now();
        HeadLayout values = v.now();
        boolean alike = keys.batch() == rows.batch()
                && values.batch() == rows.batch()
                && keys.heads() == rows.heads()
                && values.heads() == rows.heads()
                && keys.size() == rows.size()
                && k.steps() == v.steps();
        if (!alike) {
            throw EngineException.invalidArgument(node.describe() + ": queries, keys and values do not go together: "
                    + rows.batch() + ", " + keys.batch() + " and " + values.batch() + " in a batch, " + rows.heads()
                    + ", "
                    + keys.heads() + " and " + values.heads() + " heads, keys of " + keys.size()
                    + " elements for queries of "
                    + rows.size() + ", " + k.steps() + " keys and " + v.steps() + " values");
        }
    }

    private void refuse(boolean present, String what) {
        if (present) {
            throw EngineException.notImplemented(node.describe() + ": " + what);
        }
    }

    /** The queries, keys or values, which may lie in an input together with others. */
    private InputRows rows(BindContext context, int operand) {
        int input = operand;
        while (!context.hasInput(input)) {
            input--;
        }
        Shape shape = context.inputShape(input);
        boolean together = shape.rank() == 5;
        if (!together && input != operand || together && shape.dim(3) != 3 - input) {
            throw EngineException.invalidArgument(node.describe() + ": input " + input + " of shape " + shape
                    + " does not hold its operand and those that are left out");
        }
        long heads = node.attributes().integer("num_heads", 0);
        HeadLayout layout = together ? HeadLayout.interleaved(shape, operand - input) : HeadLayout.of(shape, heads);
        InputRows rows = InputRows.of(context, input, layout);
        boolean projected = context.hasInput(BIAS) && (operand == 0 || shape.rank() != 4);
        return projected ? rows.plus(BIAS, biasAt(context, operand, layout)) : rows;
    }

    /** Biases of queries, keys and values follow each other; those of keys are as many as those of queries. */
    private long biasAt(BindContext context, int operand, HeadLayout layout) {
        long ownElements = (long) layout.heads() * layout.size();
        long all = ArrayExtents.toInt(
                "elements of the bias", context.inputShape(BIAS).elements());
        long at = operand == VALUE ? all - ownElements : operand * ownElements;
        if (at < 0 || at > all - ownElements) {
            throw EngineException.invalidArgument(node.describe() + ": a bias of " + all + " elements for "
                    + layout.heads() + " heads of " + layout.size());
        }
        return at;
    }
}
