package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * LinearAttention: a state of keys by values for each head, which fades, takes in a key and a value in each step, and
 * is asked by queries. An item is one head of keys with all queries that ask it.
 */
record LinearAttentionKernel(Node node) implements ShapedKernel {
    private static final int KEYS = 1;
    private static final int VALUES = 2;
    private static final int PAST = 3;
    private static final int DECAY = 4;
    private static final int RATE = 5;

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        String rule = attributes.text("update_rule", "gated_delta");
        boolean fades = rule.startsWith("gated");
        boolean corrects = rule.endsWith("delta");
        if (!fades && !corrects && !rule.equals("linear")) {
            throw EngineException.invalidGraph(node.describe() + ": attribute 'update_rule' is '" + rule
                    + "' where linear, gated, delta or gated_delta is expected");
        }
        if (fades && !context.hasInput(DECAY) || corrects && !context.hasInput(RATE)) {
            throw EngineException.invalidGraph(node.describe() + ": rule '" + rule + "' wants a decay or a rate");
        }
        Heads heads = heads(context);
        checkWidths(context, heads, fades, corrects);
        float scale = attributes.real("scale", 0f);
        boolean present = context.outputCount() > 1 && context.hasOutput(1);
        ElementType type = context.inputType(0);
        ElementType ofPast = context.hasInput(PAST) ? context.inputType(PAST) : type;
        var task = new Task(
                type,
                present ? context.outputType(1) : ofPast,
                heads,
                scale == 0 ? 1 / Math.sqrt(heads.keySize()) : scale,
                context.hasInput(PAST),
                fades ? context.inputShape(DECAY).dim(2) : 0,
                corrects ? context.inputShape(RATE).dim(2) : 0,
                context.hasOutput(0),
                present);
        return launch -> launch.parallelFor((long) heads.batch() * heads.keyHeads(), 1, task);
    }

    private Heads heads(BindContext context) {
        Shape queries = context.inputShape(0);
        int queryHeads =
                ArrayExtents.toInt("heads of queries", node.attributes().integer("q_num_heads"));
        int keyHeads = ArrayExtents.toInt("heads of keys", node.attributes().integer("kv_num_heads"));
        long keyWidth = context.inputShape(KEYS).dim(2);
        long valueWidth = context.inputShape(VALUES).dim(2);
        boolean fits = queryHeads > 0
                && keyHeads > 0
                && queryHeads % keyHeads == 0
                && keyWidth % keyHeads == 0
                && valueWidth % keyHeads == 0
                && queries.dim(2) == keyWidth / keyHeads * queryHeads;
        if (!fits) {
            throw EngineException.invalidArgument(node.describe() + ": queries, keys and values of "
                    + queries.dim(2) + ", " + keyWidth + " and " + valueWidth + " elements do not go with " + queryHeads
                    + " heads that ask " + keyHeads);
        }
        return new Heads(
                ArrayExtents.toInt("a batch", queries.dim(0)),
                ArrayExtents.toInt("steps", queries.dim(1)),
                queryHeads,
                keyHeads,
                ArrayExtents.toInt("elements of a key", keyWidth / keyHeads),
                ArrayExtents.toInt("elements of a value", valueWidth / keyHeads));
    }

    private void checkWidths(BindContext context, Heads heads, boolean fades, boolean corrects) {
        long decays = fades ? context.inputShape(DECAY).dim(2) : heads.keyHeads();
        long rates = corrects ? context.inputShape(RATE).dim(2) : 1;
        boolean fits = (decays == heads.keyHeads() || decays == (long) heads.keyHeads() * heads.keySize())
                && (rates == heads.keyHeads() || rates == 1);
        if (!fits) {
            throw EngineException.invalidArgument(node.describe() + ": " + decays + " decays and " + rates
                    + " rates of a step for " + heads.keyHeads() + " heads of " + heads.keySize() + " elements");
        }
    }

    private record Heads(int batch, int steps, int queryHeads, int keyHeads, int keySize, int valueSize) {
        int group() {
            return queryHeads / keyHeads;
        }

        int stateSize() {
            return ArrayExtents.product("elements of a state", keySize, valueSize);
        }
    }

    private record Task(
            ElementType type,
            ElementType stateType,
            Heads heads,
            double scale,
            boolean past,
            long decays,
            long rates,
            boolean answers,
            boolean present)
            implements RangeTask {
        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            int size = heads.stateSize();
            double[] state = scratch.doubles(0, size);
            for (long item = from; item < to; item++) {
                if (past) {
                    Elements.read(stateType, launch.input(PAST), item * size, state, 0, size);
                } else {
                    Arrays.fill(state, 0, size, 0);
                }
                for (int step = 0; step < heads.steps(); step++) {
                    launch.checkCancelled();
                    long row = item / heads.keyHeads() * heads.steps() + step;
                    int head = (int) (item % heads.keyHeads());
                    takeIn(launch, row, head, state, scratch);
                    for (int i = 0; answers && i < heads.group(); i++) {
                        answer(launch, row * heads.queryHeads() + (long) head * heads.group() + i, state, scratch);
                    }
                }
                if (present) {
                    Elements.write(stateType, launch.output(1), item * size, state, 0, size);
                }
            }
        }

        private void takeIn(LaunchContext launch, long row, int head, double[] state, Scratch scratch) {
            double[] key = scratch.doubles(1, heads.keySize());
            double[] value = scratch.doubles(2, heads.valueSize());
            long at = row * heads.keyHeads() + head;
            Elements.read(type, launch.input(KEYS), at * heads.keySize(), key, 0, heads.keySize());
            Elements.read(type, launch.input(VALUES), at * heads.valueSize(), value, 0, heads.valueSize());
            if (decays > 0) {
                fade(launch, row, head, state);
            }
            double rate = 1;
            if (rates > 0) {
                rate = Elements.getDouble(type, launch.input(RATE), row * rates + (rates == 1 ? 0 : head));
                for (int i = 0; i < heads.keySize(); i++) {
                    for (int j = 0; j < heads.valueSize(); j++) {
                        value[j] -= key[i] * state[i * heads.valueSize() + j];
                    }
                }
            }
            for (int i = 0; i < heads.keySize(); i++) {
                for (int j = 0; j < heads.valueSize(); j++) {
                    state[i * heads.valueSize() + j] += rate * key[i] * value[j];
                }
            }
        }

        /** Decays are logarithms, one for the head or one for each element of its keys. */
        private void fade(LaunchContext launch, long row, int head, double[] state) {
            boolean each = decays != heads.keyHeads();
            for (int i = 0; i < heads.keySize(); i++) {
                long at = row * decays + (each ? (long) head * heads.keySize() + i : head);
                double factor = Math.exp(Elements.getDouble(type, launch.input(DECAY), at));
                for (int j = 0; j < heads.valueSize(); j++) {
                    state[i * heads.valueSize() + j] *= factor;
                }
            }
        }

        private void answer(LaunchContext launch, long head, double[] state, Scratch scratch) {
            double[] query = scratch.doubles(1, heads.keySize());
            double[] sums = scratch.doubles(2, heads.valueSize());
            Elements.read(type, launch.input(0), head * heads.keySize(), query, 0, heads.keySize());
            Arrays.fill(sums, 0, heads.valueSize(), 0);
            for (int i = 0; i < heads.keySize(); i++) {
                for (int j = 0; j < heads.valueSize(); j++) {
                    sums[j] += scale * query[i] * state[i * heads.valueSize() + j];
                }
            }
            Elements.write(type, launch.output(0), head * heads.valueSize(), sums, 0, heads.valueSize());
        }
    }
}
