package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.Kernel;
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

/** Tests that plans over simulated devices give the answers of the host alone, to the bit, and break no rule of a device. */
class RandomPlansTest {
    private static final int SEEDS = Integer.getInteger("millrace.plans.seeds", 300);
    private static final long FIRST = Long.getLong("millrace.plans.first", 1);

    private final WorkerPool pool = new WorkerPool(0);

    @Test
    void theAnswersAreThoseOfTheHostAlone() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Graph graph = RandomGraph.of(seed);
            List<List<Float>> expected = onHost(graph, seed);
            try {
                assertThat(onDevices(graph, seed)).isEqualTo(expected);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }

    private List<List<Float>> onHost(Graph graph, long seed) {
        try (var runner = new PlanRunner(
                PlanBuilder.build(graph, node -> new PlanBuilder.Assignment(SmallKernels.of(node), "host", Device.CPU)),
                pool,
                1,
                4)) {
            return answers(runner, seed);
        }
    }

    private List<List<Float>> onDevices(Graph graph, long seed) {
        var random = new Random(seed);
        var answers = new ArrayList<List<Float>>();
        try (var machine = new SimulatedMachine(seed)) {
            var devices = new ArrayList<Device>(List.of(Device.CPU));
            for (int i = 0; i <= random.nextInt(3); i++) {
                devices.add(machine.device("device " + i, 1 + random.nextInt(3)));
            }
            try (var services = DeviceServices.of(machine);
                    var runner = new PlanRunner(
                            PlanBuilder.build(graph, node -> assignment(SmallKernels.of(node), devices, random)),
                            pool,
                            1,
                            4,
                            new IdleMemory(),
                            services)) {
                answers.addAll(answers(runner, seed));
            }
            machine.settle();
        }
        return answers;
    }

    private static PlanBuilder.Assignment assignment(Kernel kernel, List<Device> devices, Random random) {
        Device device = devices.get(random.nextInt(devices.size()));
        return device != Device.CPU && kernel instanceof ShapedKernel shaped
                ? new PlanBuilder.Assignment(new SimulatedKernel(shaped), device.info().name(), device)
                : new PlanBuilder.Assignment(kernel, "host", Device.CPU);
    }

    /** The answers to three requests, of which the third is the first. */
    private static List<List<Float>> answers(PlanRunner runner, long seed) {
        var answers = new ArrayList<List<Float>>();
        for (long request : new long[] {0, 1, 0}) {
            Tensor input = RandomGraph.input(seed * 2 + request);
            for (Datum datum : runner.run(name -> input, new Cancellation(), null)) {
                var values = new ArrayList<Float>();
                for (float value : ((Tensor) datum).floats()) {
                    values.add(value);
                }
                answers.add(values);
            }
        }
        return answers;
    }
}
