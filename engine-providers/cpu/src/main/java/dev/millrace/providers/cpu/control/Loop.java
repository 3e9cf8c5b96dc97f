package dev.millrace.providers.cpu.control;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;

/** Runs its body while a count lasts and a condition holds; carries values along and collects others. */
final class Loop implements DynamicKernel {
    private final Node node;
    private final Graph body;
    private final int carried;

    Loop(Node node) {
        this.node = node;
        this.body = node.attributes().graph("body");
        this.carried = Math.max(0, node.inputs().size() - 2);
        if (body.inputs().size() != carried + 2
                || body.outputs().size() < carried + 1
                || node.outputs().size() > body.outputs().size() - 1) {
            throw EngineException.invalidGraph(node.describe() + ": a body of "
                    + body.inputs().size() + " inputs and " + body.outputs().size() + " outputs does not fit "
                    + carried + " carried values and " + node.outputs().size() + " outputs");
        }
    }

    @Override
    public void run(DynamicContext context) {
        Datum limit = context.input(0);
        long trips = limit == null ? Long.MAX_VALUE : trips(limit);
        Datum condition = context.input(1);
        boolean goOn = condition == null || ControlKernels.truth(node, condition);
        List<Datum> values = new ArrayList<>();
        for (int i = 0; i < carried; i++) {
            Datum value = context.input(2 + i);
            values.add(value == null ? OptionalDatum.EMPTY : value);
        }
        List<Collected> collected = ControlKernels.collected(context, body, carried + 1, trips);
        List<Datum> before = List.of();
        for (long trip = 0; trip < trips && goOn; trip++) {
            context.checkCancelled();
            List<Datum> inputs = new ArrayList<>(carried + 2);
            inputs.add(fitting(0, Tensor.copyOf(new long[] {trip})));
            inputs.add(fitting(1, Tensor.copyOf(new boolean[] {goOn})));
            inputs.addAll(values);
            List<Datum> results = context.runNested("body", inputs);
            goOn = ControlKernels.truth(node, results.getFirst());
            for (int i = 0; i < collected.size(); i++) {
                collected.get(i).add(ControlKernels.tensor(node, results.get(carried + 1 + i)));
            }
            ControlKernels.close(before);
            before = results;
            values = results.subList(1, carried + 1);
        }
        for (int i = 0; i < context.outputCount(); i++) {
            if (context.hasOutput(i)) {
                context.output(
                        i,
                        i < carried
                                ? ControlKernels.lasting(context, values.get(i))
                                : collected.get(i - carried).stacked(0, false));
            }
        }
        ControlKernels.close(before);
    }

    private long trips(Datum limit) {
        Datum value = limit instanceof OptionalDatum optional && optional.value() != null ? optional.value() : limit;
        if (value instanceof Tensor tensor && tensor.elements() == 1) {
            return tensor.longs()[0];
        }
        throw EngineException.invalidArgument(node.describe() + ": the trip count is one integer, not " + value);
    }

    /** A single value, of the rank that the body declares: some exporters write [1] where the operator says a scalar. */
    private Tensor fitting(int input, Tensor scalar) {
        var shape = body.inputs().get(input).shape();
        return scalar.reshaped(shape != null && shape.rank() == 1 ? Shape.of(1) : Shape.SCALAR);
    }
}
