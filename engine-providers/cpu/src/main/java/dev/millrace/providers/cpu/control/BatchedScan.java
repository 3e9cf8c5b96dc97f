package dev.millrace.providers.cpu.control;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.Pieces;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scan as opset 8 has it: axis 0 is the batch, axis 1 the steps, and each sequence of the batch may have a length of its
 * own. What is beyond it is zero.
 */
final class BatchedScan implements DynamicKernel {
    private final Node node;
    private final Graph body;
    private final int scanned;
    private final int states;
    private final long @Nullable [] directions;

    BatchedScan(Node node) {
        this.node = node;
        this.body = node.attributes().graph("body");
        this.scanned = (int) node.attributes().integer("num_scan_inputs");
        this.states = body.inputs().size() - scanned;
        this.directions = node.attributes().integers("directions");
        Scan.check(node, body, states, scanned, node.inputs().size() - 1);
    }

    @Override
    public void run(DynamicContext context) {
        Shape first = context.tensor(1 + states).shape();
        long batches = first.dim(0);
        long steps = first.dim(1);
        long[] lengths = context.input(0) == null ? null : context.tensor(0).longs();
        List<List<Tensor>> outputs = new ArrayList<>();
        for (int i = 0; i < body.outputs().size(); i++) {
            outputs.add(new ArrayList<>());
        }
        for (int batch = 0; batch < batches; batch++) {
            long length = lengths == null ? steps : Math.clamp(lengths[batch], 0, steps);
            runBatch(context, batch, length, steps, outputs);
        }
        for (int i = 0; i < context.outputCount(); i++) {
            if (context.hasOutput(i)) {
                context.output(i, Pieces.stack(outputs.get(i), 0));
            }
        }
    }

    private void runBatch(DynamicContext context, int batch, long length, long steps, List<List<Tensor>> outputs) {
        List<Datum> values = new ArrayList<>();
        for (int i = 0; i < states; i++) {
            values.add(Pieces.step(context.tensor(1 + i), 0, batch));
        }
        List<Collected> collected = ControlKernels.collected(context, body, states, length);
        List<Datum> before = List.of();
        for (long step = 0; step < length; step++) {
            context.checkCancelled();
            List<Datum> inputs = new ArrayList<>(values);
            for (int i = 0; i < scanned; i++) {
                boolean backward = directions != null && i < directions.length && directions[i] != 0;
                Tensor sequence = Pieces.step(context.tensor(1 + states + i), 0, batch);
                inputs.add(Pieces.step(sequence, 0, backward ? length - 1 - step : step));
            }
            List<Datum> results = Scan.step(context, node, inputs, states, collected);
            ControlKernels.close(before);
            before = results;
            values = results.subList(0, states);
        }
        for (int i = 0; i < states; i++) {
            outputs.get(i).add(ControlKernels.tensor(node, values.get(i)));
        }
        for (int i = 0; i < collected.size(); i++) {
            Tensor whole = collected.get(i).stacked(0, false);
            if (length < steps) {
                Tensor rest = Tensor.allocate(whole.type(), whole.shape().with(0, steps - length));
                whole = Pieces.join(List.of(whole, rest), 0);
            }
            outputs.get(states + i).add(whole);
        }
    }
}
