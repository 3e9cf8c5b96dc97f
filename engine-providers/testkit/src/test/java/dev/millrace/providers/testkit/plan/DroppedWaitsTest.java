package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that plans have no wait for a step too many: the simulated machine finds an error without any one of them. */
class DroppedWaitsTest {
    private static final int PLANS = Integer.getInteger("millrace.plans.dropped", 40);

    private final WorkerPool pool = new WorkerPool(0);

    private record Outcome(long waits, List<String> errors) {}

    private Outcome run(Graph graph, long seed, long droppedWait) {
        var random = new Random(seed);
        var machine = new SimulatedMachine(seed);
        machine.dropWait(droppedWait);
        var devices = new ArrayList<Device>();
        for (int i = 0; i < 3; i++) {
            devices.add(machine.device("device " + i));
        }
        try (var services = DeviceServices.of(machine);
                var runner = new PlanRunner(
                        PlanBuilder.build(graph, node -> {
                            Device device = devices.get(random.nextInt(3));
                            return SmallKernels.of(node) instanceof ShapedKernel shaped
                                    ? new PlanBuilder.Assignment(new SimulatedKernel(shaped), "device", device)
                                    : new PlanBuilder.Assignment(SmallKernels.of(node), "host", Device.CPU);
                        }),
                        pool,
                        1,
                        4,
                        new IdleMemory(),
                        services)) {
            Tensor input = RandomGraph.input(seed);
            runner.run(name -> input, new Cancellation(), null);
        }
        machine.settle();
        return new Outcome(machine.waits(), machine.takeErrors());
    }

    @Test
    void eachWaitIsNeeded() {
        long waits = 0;
        for (long seed = 1; seed <= PLANS; seed++) {
            Graph graph = RandomGraph.of(seed);
            Outcome whole = run(graph, seed, -1);
            assertThat(whole.errors).as("seed %d", seed).isEmpty();
            for (long wait = 0; wait < whole.waits; wait++) {
                assertThat(run(graph, seed, wait).errors)
                        .as("seed %d without wait %d", seed, wait)
                        .isNotEmpty();
            }
            waits += whole.waits;
        }
        assertThat(waits).isGreaterThan(100);
    }
}
