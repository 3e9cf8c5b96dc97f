package dev.millrace.providers.testkit.device;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.plan.PlanBuilder.Assignment;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs graphs with kernels of the host on a simulated device. */
public final class SimulatedRun {
    private SimulatedRun() {}

    /**
     * Runs a graph once, on a machine whose order and options the seed draws. Nodes of control flow, of strings and of
     * unknown types run on the host.
     *
     * @throws AssertionError where a rule of devices was broken
     */
    public static List<Datum> run(Graph graph, List<Datum> inputs, KernelFactory kernels, long seed) {
        var results = new ArrayList<Datum>();
        try (var machine = new SimulatedMachine(seed, MachineOptions.drawn(seed));
                var pool = new WorkerPool(0)) {
            SimulatedDevice device = machine.device("simulated");
            try (var services = DeviceServices.of(machine);
                    var runner = new PlanRunner(
                            PlanBuilder.build(graph, node -> assignment(node, kernels, device)),
                            pool,
                            1,
                            1,
                            new IdleMemory(),
                            services)) {
                Map<String, Datum> byName = byName(graph, inputs);
                for (Datum result : runner.run(byName::get, new Cancellation(), null)) {
                    results.add(result instanceof Tensor tensor ? Tensor.copyOf(tensor) : result);
                }
            }
            machine.settle();
        }
        return results;
    }

    private static Map<String, Datum> byName(Graph graph, List<Datum> inputs) {
        var byName = new HashMap<String, Datum>();
        for (int i = 0; i < inputs.size(); i++) {
            byName.put(graph.inputs().get(i).name(), inputs.get(i));
        }
        return byName;
    }

    private static Assignment assignment(Node node, KernelFactory kernels, Device device) {
        Kernel kernel = kernels.create(node);
        if (kernel == null) {
            throw EngineException.notImplemented("no kernel for " + node.describe());
        }
        return kernel instanceof ShapedKernel shaped && hasNumbersOnly(node)
                ? new Assignment(new SimulatedKernel(shaped), device.info().name(), device)
                : new Assignment(kernel, "host", Device.CPU);
    }

    /** Whether the inputs and outputs of a node are tensors of numbers, which may lie on a device. */
    static boolean hasNumbersOnly(Node node) {
        return Stream.concat(node.inputs().stream(), node.outputs().stream()).allMatch(SimulatedRun::isNumeric);
    }

    private static boolean isNumeric(@Nullable Value value) {
        return value == null
                || value.type() instanceof ValueType.TensorType type
                        && type.element() != null
                        && type.element() != ElementType.STRING;
    }
}
