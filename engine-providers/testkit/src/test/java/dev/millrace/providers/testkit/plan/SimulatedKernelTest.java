package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
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
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a kernel of the host keeps its traits on a simulated device. */
class SimulatedKernelTest {
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);
    /** The bytes of each kernel that ran. */
    private final Map<String, Long> bytes = new HashMap<>();

    private List<ScheduledOperation> schedule = List.of();

    private Node node(String op, int outputs, Value... inputs) {
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            names.add(op + i);
        }
        return editor.append(NodeSpec.of(new OpId("test", op), 1, inputs), names);
    }

    private Value input(ElementType type) {
        return editor.addInput("x", ValueType.tensor(type));
    }

    private List<Tensor> run(ShapedKernel kernel, Tensor x) {
        var results = new ArrayList<Tensor>();
        var options = MachineOptions.defaults().withCosts((operation, moved, operations) -> {
            bytes.put(operation.replaceAll(" of .*", ""), moved);
            return 1;
        });
        try (var machine = new SimulatedMachine(1, options);
                var pool = new WorkerPool(0)) {
            SimulatedDevice device = machine.device("gpu");
            try (var services = DeviceServices.of(machine);
                    var runner = new PlanRunner(
                            PlanBuilder.build(graph, node -> new PlanBuilder.Assignment(kernel, "gpu", device)),
                            pool,
                            1,
                            4,
                            new IdleMemory(),
                            services)) {
                for (Datum datum : runner.run(name -> x, new Cancellation(), null)) {
                    results.add(Tensor.copyOf((Tensor) datum));
                }
            }
            machine.settle();
            schedule = machine.schedule();
        }
        return results;
    }

    private long operations(String name) {
        return schedule.stream()
                .filter(operation -> operation.name().contains(name))
                .count();
    }

    private long bytesOf(Node node) {
        return bytes.getOrDefault(node.describe(), -1L);
    }

    @Test
    void inputsThatAKernelWantsOnTheHostStayThere() {
        Value constant = editor.addConstant("c", Tensor.copyOf(new float[] {1, 2, 3}, 3));
        Node node = node("Add", 1, input(ElementType.FLOAT), constant);
        editor.addOutput("y", node.requireOutput(0));
        var kernel = new SimulatedKernel((ShapedKernel) SmallKernels.of(node), Set.of(0));
        assertThat(run(kernel, Tensor.copyOf(new float[] {4, 5, 6}, 3))
                        .getFirst()
                        .floats())
                .containsExactly(3, 4, 5);
        assertThat(operations("upload")).as("the constant alone").isOne();
        assertThat(bytesOf(node)).isEqualTo(36);
    }

    @Test
    void aWorkspaceIsMemoryOfTheOperation() {
        Node node = node("Reversed", 1, input(ElementType.FLOAT));
        editor.addOutput("y", node.requireOutput(0));
        var kernel = new SimulatedKernel((ShapedKernel) SmallKernels.of(node));
        assertThat(run(kernel, Tensor.copyOf(new float[] {1, 2, 3}, 3))
                        .getFirst()
                        .floats())
                .containsExactly(3, 2, 1);
        assertThat(bytesOf(node)).isGreaterThanOrEqualTo(36);
    }

    /** Three outputs: an alias of the input, its double in a parallel loop, and a constant. */
    private static final class Mixed implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            node.outputs().forEach(output -> types.add(facts.type(0)));
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            context.alias(0, 0);
            context.fold(2, Tensor.copyOf(new float[] {7, 7}, 2));
            return run -> run.parallelFor(2, 1, (part, from, to, scratch) -> {
                for (long i = from; i < to; i++) {
                    float value = part.input(0).getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
                    part.output(1).setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, 2 * value);
                }
            });
        }
    }

    @Test
    void outputsThatAreAliasesOrFoldedAreNotWritten() {
        Node node = node("Mixed", 3, input(ElementType.FLOAT));
        editor.addOutput("alias", node.requireOutput(0));
        editor.addOutput("double", node.requireOutput(1));
        List<Tensor> results = run(new SimulatedKernel(new Mixed()), Tensor.copyOf(new float[] {1, 2}, 2));
        assertThat(results.get(0).floats()).containsExactly(1, 2);
        assertThat(results.get(1).floats()).containsExactly(2, 4);
        assertThat(bytesOf(node)).isEqualTo(16);
    }

    @Test
    void valuesWithoutElementsHaveNoMemory() {
        Value constant = editor.addConstant("c", Tensor.copyOf(new float[0], 0));
        Node node = node("First", 1, input(ElementType.FLOAT), constant);
        editor.addOutput("y", node.requireOutput(0));
        ShapedKernel first = new ShapedKernel() {
            @Override
            public List<@Nullable ValueType> outputs(Node of, Facts facts) {
                var types = new ArrayList<@Nullable ValueType>();
                types.add(facts.type(0));
                return types;
            }

            @Override
            public Launch bind(BindContext context) {
                return run -> {
                    assertThat(run.input(1).byteSize()).isZero();
                    run.output(0).copyFrom(run.input(0));
                };
            }
        };
        List<Tensor> results = run(new SimulatedKernel(first), Tensor.copyOf(new float[] {1, 2}, 2));
        assertThat(results.getFirst().floats()).containsExactly(1, 2);
        assertThat(bytesOf(node)).isEqualTo(16);
    }

    @Test
    void stringsAreRefused() {
        Node node = node("Add", 1, input(ElementType.STRING));
        var kernel = new SimulatedKernel((ShapedKernel) SmallKernels.of(node));
        assertThatThrownBy(() -> kernel.bind(binding(node, 1)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("a device has no strings");
    }

    @Test
    void aLaunchKeepsWhatTheWrappedOneSaysOfItself() {
        Node node = node("Add", 1, input(ElementType.FLOAT));
        var calls = new ArrayList<String>();
        ShapedKernel wrapped = bound -> new Launch() {
            @Override
            public void run(LaunchContext context) {
                calls.add("run");
            }

            @Override
            public void prewarm(Runnable checkCancelled) {
                calls.add("prewarm");
            }

            @Override
            public void trim() {
                calls.add("trim");
            }

            @Override
            public long memoryBytes() {
                return 42;
            }

            @Override
            public String text() {
                return "text";
            }
        };
        Launch launch = new SimulatedKernel(wrapped).bind(binding(node, 0));
        launch.prewarm(() -> {});
        launch.trim();
        assertThat(calls).containsExactly("prewarm", "trim");
        assertThat(launch.memoryBytes()).isEqualTo(42);
        assertThat(launch.text()).isEqualTo("text");
    }

    @Test
    void aKernelThatDoesNothingIsNotSubmitted() {
        Node node = node("View", 1, input(ElementType.FLOAT));
        assertThat(new SimulatedKernel(bound -> Launch.none()).bind(binding(node, 0)))
                .isSameAs(Launch.none());
    }

    /** The binding of a node that has a number of strings as its inputs, and no outputs. */
    private static BindContext binding(Node node, int inputs) {
        return (BindContext) Proxy.newProxyInstance(
                BindContext.class.getClassLoader(),
                new Class<?>[] {BindContext.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "node" -> node;
                    case "inputCount" -> inputs;
                    case "outputCount" -> 0;
                    case "hasInput" -> true;
                    case "inputType" -> ElementType.STRING;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
