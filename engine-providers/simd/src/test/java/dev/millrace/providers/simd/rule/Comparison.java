package dev.millrace.providers.simd.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.simd.SimdFactory;
import dev.millrace.providers.simd.program.PartitionProgram;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.ProviderKernels;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A graph that is run by {@code simd} with {@code cpu} behind it and by {@code cpu} alone, which have to agree. */
public final class Comparison implements AutoCloseable {
    private static final double OF_LARGEST = 1e-4;
    /** Four units in the last place, of what the terms of a sum are together. */
    private static final double OF_TERMS = 0x1p-22;

    private final WorkerPool pool = new WorkerPool(1);
    private final List<ProgramStep> steps = new ArrayList<>();
    private final Graph graph;
    private final PlanRunner fast;
    private final PlanRunner plain;
    private int allowedOfIntegers;
    private double allowedOfFloats;

    public Comparison(Consumer<GraphEditor> making) {
        this(making, making);
    }

    /** @param same makes a graph that {@code cpu} can run and that computes the same */
    public Comparison(Consumer<GraphEditor> making, Consumer<GraphEditor> same) {
        ExecutionProvider simd = new SimdFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        ExecutionProvider cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        graph = made(making);
        fast = runner(graph, List.of(simd, cpu));
        plain = runner(made(same), List.of(cpu));
    }

    private static Graph made(Consumer<GraphEditor> making) {
        Graph graph = Graph.named("case");
        making.accept(new GraphEditor(graph));
        TypeInference.infer(graph);
        if (Lowerings.lower(graph)) {
            TypeInference.infer(graph);
        }
        return graph;
    }

    private PlanRunner runner(Graph shared, List<ExecutionProvider> providers) {
        var kernels = ProviderKernels.of(shared, providers);
        Plan plan = PlanBuilder.build(shared, node -> {
            Kernel kernel = Objects.requireNonNull(kernels.create(node), node::describe);
            boolean compiled = node.op().domain().equals("dev.millrace.fused");
            return new PlanBuilder.Assignment(
                    compiled ? new Watched((ShapedKernel) kernel, steps) : kernel, "provider", Device.CPU);
        });
        return new PlanRunner(plan, pool, 2, 8);
    }

    /** A compiled partition whose steps are kept when it is bound. */
    private static final class Watched implements ShapedKernel {
        private final ShapedKernel kernel;
        private final List<ProgramStep> steps;

        Watched(ShapedKernel kernel, List<ProgramStep> steps) {
            this.kernel = kernel;
            this.steps = steps;
        }

        @Override
        public Launch bind(BindContext context) {
            Launch launch = kernel.bind(context);
            if (launch instanceof PartitionProgram program) {
                steps.addAll(program.steps());
            }
            return launch;
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return kernel.outputs(node, facts);
        }
    }

    /**
     * Runs both on these inputs, in the order of the graph's: the fast one several times, with other numbers in between,
     * since later runs make again the calls of earlier ones.
     */
    public Comparison agreesOn(Tensor... inputs) {
        Tensor[] others = Arrays.stream(inputs).map(Comparison::halved).toArray(Tensor[]::new);
        assertSame(inputs);
        assertSame(others);
        assertSame(inputs);
        assertSame(others);
        return this;
    }

    private void assertSame(Tensor... inputs) {
        Datum[] actual = run(fast, inputs);
        Datum[] expected = run(plain, inputs);
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < actual.length; i++) {
            assertSame((Tensor) actual[i], (Tensor) expected[i], i);
        }
    }

    private static Tensor halved(Tensor tensor) {
        if (tensor.type() != ElementType.FLOAT) {
            return tensor;
        }
        float[] halves = tensor.floats();
        for (int i = 0; i < halves.length; i++) {
            halves[i] /= 2;
        }
        return Tensor.copyOf(halves, tensor.shape().toArray());
    }

    private Datum[] run(PlanRunner runner, Tensor[] inputs) {
        var named = new HashMap<String, Datum>();
        for (int i = 0; i < inputs.length; i++) {
            named.put(graph.inputs().get(i).name(), inputs[i]);
        }
        return runner.run(named::get, new Cancellation(), null);
    }

    /** Lets integers that were rounded differ, since a number halfway between two may be computed on either side. */
    public Comparison roundingWithin(int steps) {
        allowedOfIntegers = steps;
        return this;
    }

    /**
     * Lets floats differ by what their sums round, whose terms are so large together: where these cancel each other, little of the
     * largest number is left.
     */
    public Comparison summing(double terms) {
        allowedOfFloats = OF_TERMS * terms;
        return this;
    }

    private void assertSame(Tensor actual, Tensor expected, int output) {
        assertThat(actual.shape()).as("shape of output " + output).isEqualTo(expected.shape());
        assertThat(actual.type()).isEqualTo(expected.type());
        double[] a = numbers(actual);
        double[] e = numbers(expected);
        double largest = 1e-6;
        for (double number : e) {
            largest = Double.isFinite(number) ? Math.max(largest, Math.abs(number)) : largest;
        }
        double allowed =
                expected.type().isFloating() ? Math.max(OF_LARGEST * largest, allowedOfFloats) : allowedOfIntegers;
        for (int i = 0; i < a.length; i++) {
            boolean same = Double.compare(a[i], e[i]) == 0 || Math.abs(a[i] - e[i]) <= allowed;
            assertThat(same)
                    .as("element %d of output %d is %s, not %s", i, output, a[i], e[i])
                    .isTrue();
        }
    }

    private static double[] numbers(Tensor tensor) {
        return tensor.type().isFloating()
                ? tensor.doubles()
                : Arrays.stream(tensor.longs()).asDoubleStream().toArray();
    }

    /** The kernels of the steps of all partitions that have been bound. */
    public List<String> kernels() {
        return steps.stream().map(ProgramStep::kernel).toList();
    }

    /** No step is left to the provider behind. */
    public Comparison withoutFallback() {
        assertThat(steps).isNotEmpty();
        assertThat(kernels()).noneMatch(kernel -> kernel.startsWith("cpu "));
        return this;
    }

    /** How many nodes the graph has left. */
    int nodes() {
        return graph.nodeCount();
    }

    @Override
    public void close() {
        pool.close();
    }

    public static Tensor random(Random random, long... dims) {
        return random(random, Shape.of(dims));
    }

    static Tensor random(Random random, Shape shape) {
        return RandomTensors.uniform(random, -1, 1, shape.toArray());
    }

    /** An input of floats, of any shape of this rank. */
    public static Value floats(GraphEditor editor, String name, int rank) {
        return input(editor, name, ElementType.FLOAT, rank);
    }

    public static Value input(GraphEditor editor, String name, ElementType type, int rank) {
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.ofRank(rank)));
    }
}
