package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.BindServices;
import dev.millrace.scheduler.bind.Binder;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.LiveValues;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.Scratch;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class StreamsTest {
    private final Chains kernels = new Chains();
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Map<Value, Device> deviceOf = new HashMap<>();

    private Value node(Device device, String op, Value... inputs) {
        Value value = editor.append(NodeSpec.of(new OpId("test", op), 1, inputs), List.of(op + graph.nodeCount()))
                .requireOutput(0);
        deviceOf.put(value, device);
        return value;
    }

    private Plan plan() {
        return PlanBuilder.build(
                graph,
                node -> new PlanBuilder.Assignment(
                        kernels.kernel(node), "test", deviceOf.getOrDefault(node.requireOutput(0), Device.CPU)));
    }

    private static List<List<String>> programs(Plan plan) {
        return bound(plan).programs.programs().stream()
                .map(program -> program.stream()
                        .map(instruction -> instruction.getClass().getSimpleName())
                        .toList())
                .toList();
    }

    /** Binds a plan whose inputs have three floats. */
    private static Binding bound(Plan plan) {
        return new Binder(plan, 0, new ThreeFloats(plan), new Unlimited()).bind();
    }

    private record ThreeFloats(Plan plan) implements LiveValues {
        @Override
        public @Nullable ElementType type(int slot) {
            return plan.inputs().contains(slot) ? ElementType.FLOAT : null;
        }

        @Override
        public @Nullable Shape shape(int slot) {
            return plan.inputs().contains(slot) ? Shape.of(3) : null;
        }

        @Override
        public @Nullable Datum datum(int slot) {
            return null;
        }

        @Override
        public boolean isOnDevice(int slot) {
            return false;
        }

        @Override
        public boolean holds(int slot, Tensor content) {
            return false;
        }
    }

    private static final class Unlimited implements BindServices {
        @Override
        public void checkCancelled() {}

        @Override
        public int parallelism() {
            return 1;
        }

        @Override
        public Scratch scratch() {
            return new Scratch();
        }
    }

    private Value input() {
        return editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
    }

    @Test
    void aDetourOverAnotherDeviceHasABarrierEachWayAndNoWaitOnTheSynchronousOne() {
        var gpu = new FakeDevice("gpu", true);
        Value a = node(Device.CPU, "Inc", input());
        Value b = node(Device.CPU, "Inc", a);
        Value c = node(gpu, "Inc", b);
        editor.addOutput("y", node(Device.CPU, "Inc", c));
        assertThat(programs(plan()))
                .containsExactly(
                        List.of("Launch", "Launch", "Trigger", "Barrier", "Wait", "Launch"),
                        List.of("Barrier", "Launch", "Activate", "Trigger"));
    }

    @Test
    void aStepThatReadsTwoOtherStreamsWaitsForBoth() {
        var one = new FakeDevice("one", true);
        var two = new FakeDevice("two", true);
        Value x = input();
        Value a = node(one, "Inc", x);
        Value b = node(two, "Inc", x);
        editor.addOutput("y", node(Device.CPU, "Sum", a, b));
        assertThat(programs(plan()).getLast()).containsExactly("Barrier", "Wait", "Barrier", "Wait", "Launch");
    }

    @Test
    void twoEdgesBetweenTheSameStepsNeedOneBarrier() {
        var gpu = new FakeDevice("gpu", true);
        Value a = node(Device.CPU, "Inc", input());
        editor.addOutput("y", node(gpu, "Sum", a, a));
        assertThat(programs(plan())).containsExactly(List.of("Launch", "Trigger"), List.of("Barrier", "Launch"));
    }

    @Test
    void twoEdgesFromAnAsynchronousStepNeedOneBarrierAndOneWait() {
        var gpu = new FakeDevice("gpu", true);
        Node both = editor.append(NodeSpec.of(new OpId("test", "Inc"), 1, input()), List.of("a", "b"));
        deviceOf.put(both.requireOutput(0), gpu);
        editor.addOutput("y", node(Device.CPU, "Sum", both.requireOutput(0), both.requireOutput(1)));
        assertThat(programs(plan()))
                .containsExactly(List.of("Launch", "Activate", "Trigger"), List.of("Barrier", "Wait", "Launch"));
    }

    @Test
    void ofTwoStepsOfOneStreamThatAStepReadsTheLaterOneIsWaitedFor() {
        var gpu = new FakeDevice("gpu", true);
        Value x = input();
        Value a = node(gpu, "Inc", x);
        Value b = node(gpu, "Inc", x);
        editor.addOutput("y", node(Device.CPU, "Sum", a, b));
        assertThat(programs(plan()).getLast()).containsExactly("Barrier", "Wait", "Launch");
    }

    @Test
    void aStepIsNotWaitedForWhereAnotherOneThatIsWaitedForHasReadIt() {
        var one = new FakeDevice("one", true);
        var two = new FakeDevice("two", true);
        Value a = node(one, "Inc", input());
        Value b = node(two, "Inc", a);
        editor.addOutput("y", node(Device.CPU, "Sum", a, b));
        assertThat(programs(plan()).getLast()).containsExactly("Barrier", "Wait", "Launch");
    }

    @Test
    void aStepThatReadsOnTheHostWhatItsOwnStreamMakesWaitsForIt() {
        var gpu = new FakeDevice("gpu", true);
        Value a = node(gpu, "Inc", input());
        editor.addOutput("y", node(gpu, "Inc", a));
        assertThat(programs(plan())).containsExactly(List.of("Launch", "Activate", "Wait", "Launch"));
    }

    @Test
    void aDynamicKernelOfADeviceRunsOnTheHostWhenItsInputIsThere() {
        var gpu = new FakeDevice("gpu", true);
        Value a = node(gpu, "Inc", input());
        editor.addOutput("y", node(gpu, "Same", a));
        Plan plan = plan();
        assertThat(plan.streams()).containsExactly(gpu, Device.CPU);
        assertThat(programs(plan))
                .containsExactly(List.of("Launch", "Activate", "Trigger"), List.of("Barrier", "Wait", "Launch"));
    }

    @Test
    void handOversWithoutWorkersDoNotNest() {
        var other = new FakeDevice("other", false);
        int steps = 20_000;
        Value value = input();
        for (int i = 0; i < steps; i++) {
            value = node(i % 2 == 0 ? Device.CPU : other, "Inc", value);
        }
        editor.addOutput("y", value);
        var runner = new PlanRunner(plan(), new WorkerPool(0), 1, 4);
        assertThat(run(runner)).containsExactly(List.of(steps + 1f, steps + 2f, steps + 3f));
    }

    @Test
    void randomGraphsOverThreeStreamsGiveTheAnswerOfOne() {
        var random = new Random(7);
        try (var pool = new WorkerPool(2)) {
            for (int round = 0; round < 60; round++) {
                var test = new StreamsTest();
                Device[] devices = {Device.CPU, new FakeDevice("b", false), new FakeDevice("c", true)};
                var values = new ArrayList<Value>(List.of(test.input()));
                for (int i = 0; i < 40; i++) {
                    Value one = values.get(random.nextInt(values.size()));
                    Value two = values.get(Math.max(0, values.size() - 1 - random.nextInt(4)));
                    Device device = devices[random.nextInt(3)];
                    values.add(i % 3 == 0 ? test.node(device, "Sum", one, two) : test.node(device, "Inc", two));
                }
                for (int i = 0; i < 3; i++) {
                    test.editor.addOutput("y" + i, values.get(values.size() - 1 - i));
                }
                Plan several = test.plan();
                Plan single = PlanBuilder.build(test.graph, test.kernels.on(Device.CPU));
                var runner = new PlanRunner(several, pool, 2, 4);
                var expected = run(new PlanRunner(single, pool, 1, 4));
                for (int repeat = 0; repeat < 20; repeat++) {
                    assertThat(run(runner)).isEqualTo(expected);
                }
            }
        }
    }

    private static List<List<Float>> run(PlanRunner runner) {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3}, 3);
        var results = new ArrayList<List<Float>>();
        for (Datum datum : runner.run(name -> x, new Cancellation(), null)) {
            var values = new ArrayList<Float>();
            for (float value : ((Tensor) datum).floats()) {
                values.add(value);
            }
            results.add(values);
        }
        return results;
    }

    @Test
    void aFailureInOneStreamEndsTheOthersAndReachesTheCaller() {
        var other = new FakeDevice("other", false);
        Value x = input();
        Value a = node(Device.CPU, "Inc", x);
        Value failed = node(other, "Fail", a);
        editor.addOutput("y", node(Device.CPU, "Sum", a, failed));
        try (var pool = new WorkerPool(2)) {
            var chain = new Chains();
            Plan plan = PlanBuilder.build(
                    graph,
                    node -> new PlanBuilder.Assignment(
                            chain.kernel(node), "test", deviceOf.getOrDefault(node.requireOutput(0), Device.CPU)));
            var runner = new PlanRunner(plan, pool, 2, 4);
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> run(runner)).hasMessageContaining("planted");
            }
        }
    }
}
