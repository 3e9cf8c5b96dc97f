package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.RangeTask;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The passes of a mixture of experts, each of which processes all tokens in parallel. */
record ExpertPasses(ElementType type, int width, int chosen, long routes, RouteMemory memory) {
    private static final int EXPERT = 0;
    private static final int SHARE = 1;

    /** Reads the tokens, and chooses their experts. */
    RangeTask begin(Routing routing) {
        return (run, from, to, scratch) -> {
            MemorySegment work = run.workspace();
            int[] experts = scratch.ints(0, chosen);
            double[] shares = scratch.doubles(1, chosen);
            double[] row = scratch.doubles(2, width);
            for (long token = from; token < to; token++) {
                Elements.read(type, run.input(0), token * width, row, 0, width);
                memory.inputs().write(work, token, row, width);
                routing.choose(run, token, experts, shares, scratch);
                for (int i = 0; i < chosen; i++) {
                    memory.routes().set(work, token * chosen + i, EXPERT, experts[i]);
                    memory.routes().set(work, token * chosen + i, SHARE, shares[i]);
                }
            }
        };
    }

    /**
     * Computes a layer, one row of an expert's weights at a time for all routes through that expert.
     *
     * @param source the inputs, with one row for {@code share} neighbouring routes
     */
    RangeTask layer(ExpertLayer layer, RouteMemory.Section source, int share, RouteMemory.Section target) {
        int columns = layer.columns();
        int rows = layer.rows();
        return (run, from, to, scratch) -> {
            MemorySegment work = run.workspace();
            double[] weights = scratch.doubles(0, columns);
            double[] values = scratch.doubles(1, columns);
            for (long i = from; i < to; i++) {
                int expert = (int) (i / rows);
                int row = (int) (i % rows);
                boolean isRead = false;
                for (long route = 0; route < routes; route++) {
                    if (memory.routes().get(work, route, EXPERT) != expert) {
                        continue;
                    }
                    if (!isRead) {
                        layer.read(run, expert, row, weights);
                        isRead = true;
                    }
                    source.read(work, route / share, values, columns);
                    double sum = layer.bias(run, expert, row);
                    for (int j = 0; j < columns; j++) {
                        sum += weights[j] * values[j];
                    }
                    target.set(work, route, row, sum);
                }
            }
        };
    }

    /**
     * Applies the activation: computes the second layer's inputs from the first layer's results.
     *
     * @param count the number of inputs of the second layer
     * @param gated whether a third layer's results are multiplied in
     */
    RangeTask between(ExpertActivation activation, int count, boolean gated) {
        return (run, from, to, scratch) -> {
            MemorySegment work = run.workspace();
            int length = memory.hidden().length();
            double[] hidden = scratch.doubles(0, length);
            double[] numbers = scratch.doubles(1, memory.numbers().length());
            for (long route = from; route < to; route++) {
                memory.hidden().read(work, route, hidden, length);
                memory.numbers().read(work, route, numbers, memory.numbers().length());
                for (int i = 0; i < count; i++) {
                    hidden[i] = switch (activation.fusion()) {
                        case IN_TURN -> activation.gated(hidden[2 * i], hidden[2 * i + 1]);
                        case BEHIND -> activation.gated(hidden[i], hidden[count + i]);
                        case NONE -> gated ? activation.gated(hidden[i], numbers[i]) : activation.alone(hidden[i]);
                    };
                }
                memory.hidden().write(work, route, hidden, count);
            }
        };
    }

    /** Adds up the outputs of a token's experts, weighted by their shares. */
    RangeTask sum() {
        return (run, from, to, scratch) -> {
            MemorySegment work = run.workspace();
            double[] said = scratch.doubles(0, width);
            double[] sums = scratch.doubles(1, width);
            for (long token = from; token < to; token++) {
                Arrays.fill(sums, 0, width, 0);
                for (int i = 0; i < chosen; i++) {
                    long route = token * chosen + i;
                    double share = memory.routes().get(work, route, SHARE);
                    memory.outputs().read(work, route, said, width);
                    for (int j = 0; j < width; j++) {
                        sums[j] += share * said[j];
                    }
                }
                Elements.write(type, run.output(0), token * width, sums, 0, width);
            }
        };
    }
}
