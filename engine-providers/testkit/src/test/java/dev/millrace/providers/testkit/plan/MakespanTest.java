package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.MachineOptions;
import dev.millrace.providers.testkit.device.ScheduledOperation;
import dev.millrace.providers.testkit.device.SimulatedDevice;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.DeviceStreams;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.scheduler.run.RunEnd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests in virtual time that runs take hardly longer than their critical path. */
class MakespanTest {
    private static final long KERNEL = 100_000;
    private static final long COPY = 10_000;
    /** The factor of its critical path that a run may take. */
    private static final double SLACK = 1.05;

    private SimulatedMachine machine = machine(false);
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Map<Value, Device> deviceOf = new HashMap<>();
    private final Tensor input = RandomGraph.input(1);

    private static SimulatedMachine machine(boolean oneAtATime) {
        return new SimulatedMachine(
                1,
                MachineOptions.defaults()
                        .withOrder(MachineOptions.Order.TIME)
                        .withOneAtATime(oneAtATime)
                        .withCosts((name, bytes, operations) -> name.startsWith("test.") ? KERNEL : COPY));
    }

    private Value add(Device device, Value... inputs) {
        Value value = editor.append(NodeSpec.of(new OpId("test", "Add"), 1, inputs), List.of("add" + graph.nodeCount()))
                .requireOutput(0);
        deviceOf.put(value, device);
        return value;
    }

    private Value input() {
        return editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
    }

    private PlanRunner runner(DeviceServices services) {
        return new PlanRunner(
                PlanBuilder.build(graph, node -> {
                    Device device = Objects.requireNonNull(deviceOf.get(node.requireOutput(0)));
                    Kernel kernel = SmallKernels.of(node);
                    return new PlanBuilder.Assignment(
                            device == Device.CPU ? kernel : new SimulatedKernel((ShapedKernel) kernel), "test", device);
                }),
                new WorkerPool(0),
                1,
                4,
                new IdleMemory(),
                services);
    }

    /** Runs once to allocate memory, and returns the virtual time of the second run. */
    private long timeOfARun() {
        try (SimulatedMachine closed = machine;
                var services = DeviceServices.of(machine);
                var runner = runner(services)) {
            runner.run(name -> input, new Cancellation(), null);
            machine.settle();
            long start = machine.now();
            runner.run(name -> input, new Cancellation(), null);
            machine.settle();
            return machine.now() - start;
        }
    }

    @Test
    void aChainOverTwoDevicesTakesTheSumOfItsSteps() {
        SimulatedDevice one = machine.device("one");
        SimulatedDevice two = machine.device("two");
        Value value = input();
        for (int i = 0; i < 6; i++) {
            value = add(i % 2 == 0 ? one : two, value);
        }
        editor.addOutput("y", value);
        assertThat(timeOfARun()).isLessThanOrEqualTo((long) (SLACK * (6 * KERNEL + 7 * COPY)));
    }

    @Test
    void theSidesOfADiamondRunAtOnce() {
        SimulatedDevice one = machine.device("one");
        SimulatedDevice two = machine.device("two");
        Value top = add(one, input());
        Value left = add(one, add(one, top));
        Value right = add(two, add(two, top));
        editor.addOutput("y", add(one, left, right));
        assertThat(timeOfARun()).isLessThanOrEqualTo((long) (SLACK * (4 * KERNEL + 4 * COPY)));
    }

    @Test
    void branchesOfAFanOutRunOnStreamsOfTheirOwn() {
        SimulatedDevice one = machine.device("one", 4);
        Value top = add(one, input());
        var branches = new Value[4];
        for (int i = 0; i < branches.length; i++) {
            branches[i] = add(one, add(one, top));
        }
        editor.addOutput("y", add(one, branches));
        assertThat(timeOfARun()).isLessThanOrEqualTo((long) (SLACK * (4 * KERNEL + 2 * COPY)));
    }

    @Test
    void aStepOfADecoderTakesItsKernelsAndTwoCopies() {
        SimulatedDevice one = machine.device("one");
        Value token = add(Device.CPU, input());
        Value state = token;
        for (int i = 0; i < 8; i++) {
            state = add(one, state, token);
        }
        editor.addOutput("y", add(Device.CPU, state));
        assertThat(timeOfARun()).isLessThanOrEqualTo((long) (SLACK * (8 * KERNEL + 2 * COPY)));
    }

    @Test
    void elementsOfAPipelineAreOnTwoDevicesAtOnce() {
        machine = machine(true);
        SimulatedDevice one = machine.device("one");
        SimulatedDevice two = machine.device("two");
        editor.addOutput("y", add(two, add(one, input())));
        int elements = 500;
        var done = new AtomicInteger();
        try (SimulatedMachine closed = machine;
                var services = DeviceServices.of(machine, new DeviceStreams(4), DeviceArena.Options.DEFAULT);
                var runner = runner(services)) {
            var end = new RunEnd() {
                @Override
                public void succeeded(Datum[] results) {
                    done.incrementAndGet();
                }

                @Override
                public void failed(Throwable failure) {
                    throw new AssertionError(failure);
                }
            };
            for (int i = 0; i < elements; i++) {
                runner.start(name -> input, new Cancellation(), null, end);
            }
            machine.settle();
            assertThat(done).hasValue(elements);
            // each device has a kernel and two copies for an element
            long perElement = KERNEL + 2 * COPY;
            assertThat(machine.makespan()).isLessThanOrEqualTo((long) (SLACK * (elements + 1) * perElement));
            assertThat(overlapping(machine.schedule())).isGreaterThan(elements * 3L / 4);
        }
    }

    /** How many kernels of the second device begin while one of the first is under way. */
    private static long overlapping(List<ScheduledOperation> schedule) {
        return schedule.stream()
                .filter(second -> second.device().equals("two") && second.name().startsWith("test."))
                .filter(second -> schedule.stream()
                        .anyMatch(first -> first.device().equals("one")
                                && first.name().startsWith("test.")
                                && first.start() <= second.start()
                                && second.start() < first.end()))
                .count();
    }
}
