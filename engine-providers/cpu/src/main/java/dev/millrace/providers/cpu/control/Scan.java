package dev.millrace.providers.cpu.control;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.move.Pieces;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs its body over slices of its scanned inputs; carries states along and collects the other outputs. */
final class Scan implements DynamicKernel {
    private final Node node;
    private final Graph body;
    private final int scanned;
    private final int states;
    private final long @Nullable [] inputAxes;
    private final long @Nullable [] inputDirections;
    private final long @Nullable [] outputAxes;
    private final long @Nullable [] outputDirections;

    Scan(Node node) {
        this.node = node;
        this.body = node.attributes().graph("body");
        this.scanned = (int) node.attributes().integer("num_scan_inputs");
        this.states = body.inputs().size() - scanned;
        this.inputAxes = node.attributes().integers("scan_input_axes");
        this.inputDirections = node.attributes().integers("scan_input_directions");
        this.outputAxes = node.attributes().integers("scan_output_axes");
        this.outputDirections = node.attributes().integers("scan_output_directions");
        check(node, body, states, scanned, node.inputs().size());
    }

    static void check(Node node, Graph body, int states, int scanned, int inputs) {
        if (states < 0
                || scanned < 1
                || inputs != states + scanned
                || body.outputs().size() < states
                || node.outputs().size() > body.outputs().size()) {
            throw EngineException.invalidGraph(node.describe() + ": a body of "
                    + body.inputs().size() + " inputs and " + body.outputs().size()
                    + " outputs does not fit " + scanned + " scanned inputs among " + inputs);
        }
    }

    @Override
    public void run(DynamicContext context) {
        List<Datum> values = new ArrayList<>();
        for (int i = 0; i < states; i++) {
            values.add(Objects.requireNonNull(context.input(i)));
        }
        int[] axes = new int[scanned];
        long steps = -1;
        for (int i = 0; i < scanned; i++) {
            Shape shape = context.tensor(states + i).shape();
            axes[i] = Shape.axis(at(inputAxes, i), shape.rank());
            if (steps >= 0 && steps != shape.dim(axes[i])) {
                throw EngineException.invalidArgument(
                        node.describe() + ": scanned inputs have " + steps + " and " + shape.dim(axes[i]) + " steps");
            }
            steps = shape.dim(axes[i]);
        }
        List<Collected> collected = ControlKernels.collected(context, body, states, steps);
        List<Datum> before = List.of();
        for (long step = 0; step < steps; step++) {
            context.checkCancelled();
            List<Datum> inputs = new ArrayList<>(values);
            for (int i = 0; i < scanned; i++) {
                long place = at(inputDirections, i) == 0 ? step : steps - 1 - step;
                inputs.add(Pieces.step(context.tensor(states + i), axes[i], place));
            }
            List<Datum> results = step(context, node, inputs, states, collected);
            ControlKernels.close(before);
            before = results;
            values = results.subList(0, states);
        }
        for (int i = 0; i < context.outputCount(); i++) {
            if (context.hasOutput(i)) {
                int k = i - states;
                context.output(
                        i,
                        k < 0
                                ? ControlKernels.lasting(context, values.get(i))
                                : collected.get(k).stacked(at(outputAxes, k), at(outputDirections, k) != 0));
            }
        }
        ControlKernels.close(before);
    }

    /** One run of the body, whose outputs behind the states are collected. */
    static List<Datum> step(
            DynamicContext context, Node node, List<Datum> inputs, int states, List<Collected> collected) {
        List<Datum> results = context.runNested("body", inputs);
        for (int i = 0; i < collected.size(); i++) {
            collected.get(i).add(ControlKernels.tensor(node, results.get(states + i)));
        }
        return results;
    }

    private static long at(long @Nullable [] values, int index) {
        return values == null || index >= values.length ? 0 : values[index];
    }
}
