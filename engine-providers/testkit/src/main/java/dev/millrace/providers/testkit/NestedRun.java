package dev.millrace.providers.testkit;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs a graph node by node, nested graphs included: the plainest meaning that control flow can have. */
public final class NestedRun {
    private NestedRun() {}

    /** The outputs of {@code graph}; inputs that are left out at the end have their defaults. */
    public static List<Datum> run(Graph graph, List<Datum> inputs, KernelFactory kernels) {
        return run(graph, inputs, Map.of(), kernels);
    }

    private static List<Datum> run(Graph graph, List<Datum> inputs, Map<Value, Datum> around, KernelFactory kernels) {
        Map<Value, Datum> values = new HashMap<>(around);
        for (int i = 0; i < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i);
            Datum datum = i < inputs.size() ? inputs.get(i) : graph.defaultOf(input);
            if (datum != null) {
                values.put(input, datum);
            }
        }
        for (Value constant : graph.constants()) {
            values.put(constant, Objects.requireNonNull(constant.constant()));
        }
        for (Node node : graph.nodes()) {
            List<@Nullable Datum> all = new ArrayList<>();
            for (Value input : node.inputs()) {
                all.add(input == null ? null : values.get(input));
            }
            Kernel kernel = kernels.create(node);
            if (kernel == null) {
                throw new AssertionError("no kernel for " + node.describe());
            }
            List<@Nullable Datum> results =
                    DirectRun.run(kernel, node, all, (nested, arguments) -> run(nested, arguments, values, kernels));
            for (int i = 0; i < results.size(); i++) {
                Value output = node.output(i);
                Datum result = results.get(i);
                if (output != null && result != null) {
                    values.put(output, result);
                }
            }
        }
        return graph.outputs().stream()
                .map(output -> closeable(Objects.requireNonNull(values.get(output))))
                .toList();
    }

    /** A result that may be closed, though others read the same memory. */
    private static Datum closeable(Datum result) {
        return result instanceof Tensor tensor ? tensor.reshaped(tensor.shape()) : result;
    }
}
