package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.ThreadedDevice;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.HostThreads;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests how the host's part of a run is handed from one stream to another. */
class HandOverTest {
    private static final int STEPS = 3000;

    /** A chain of steps that the host and a device do in turns. */
    private static Graph chain(int steps) {
        Graph graph = Graph.named("chain");
        var editor = new GraphEditor(graph);
        Value value = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        for (int i = 0; i < steps; i++) {
            String name = (i % 2 == 0 ? "device" : "host") + i;
            value = editor.append(NodeSpec.of(new OpId("test", "Add"), 1, value).named(name), List.of(name))
                    .requireOutput(0);
        }
        editor.addOutput("y", value);
        return graph;
    }

    private static PlanBuilder.Assignment assignment(String node, Kernel kernel, Device device) {
        return node.startsWith("device")
                ? new PlanBuilder.Assignment(new SimulatedKernel((ShapedKernel) kernel), "device", device)
                : new PlanBuilder.Assignment(kernel, "host", Device.CPU);
    }

    /**
     * The thread that waits for the run does the host's tasks, and nothing recurs. Others are asked only where the device
     * is done while that thread is still in a task.
     */
    @Test
    void aThreadThatWaitsForItsRunDoesTheHostsPart() {
        var others = new AtomicInteger();
        HostThreads threads = task -> {
            others.incrementAndGet();
            Thread.ofVirtual().start(task);
        };
        Graph graph = chain(STEPS);
        Tensor input = RandomGraph.input(1);
        try (var host = SimulatedPlan.onHost(graph);
                var device = new ThreadedDevice("device", 0);
                var services = DeviceServices.of(threads);
                var runner = new PlanRunner(
                        PlanBuilder.build(graph, node -> assignment(node.name(), SmallKernels.of(node), device)),
                        new WorkerPool(0),
                        1,
                        1,
                        new IdleMemory(),
                        services)) {
            assertThat(SimulatedPlan.numbers(runner.run(name -> input, new Cancellation(), null)))
                    .isEqualTo(SimulatedPlan.numbers(host.run(name -> input, new Cancellation(), null)));
        }
        assertThat(others).hasValueLessThan(STEPS / 20);
    }
}
