package dev.millrace.providers.simd.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.Inferred;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.program.PartitionProgram;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.NestedRun;
import dev.millrace.providers.testkit.ProviderKernels;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A graph of a few nodes, lowered by the rules alone and compared with the reference kernels of {@code cpu}. */
public final class SmallGraph {
    private static final OpId FUSED = new OpId(OpId.MILLRACE, "fused");

    private final GraphEditor editor = new GraphEditor(Graph.named("small"));
    private final List<Tensor> given = new ArrayList<>();
    private List<String> kernels = List.of();
    private int names;

    /** Floats of a normal distribution. */
    public static Tensor random(Random random, long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private String name() {
        return "v" + names++;
    }

    public Value input(Tensor tensor) {
        given.add(tensor);
        return editor.addInput(name(), ValueType.tensor(tensor.type(), tensor.shape()));
    }

    public Value constant(Tensor tensor) {
        return editor.addConstant(name(), tensor);
    }

    public Value node(String op, int opset, Map<String, Attribute> attributes, @Nullable Value... inputs) {
        return nodes(1, op, opset, attributes, inputs).getFirst();
    }

    public List<Value> nodes(
            int outputs, String op, int opset, Map<String, Attribute> attributes, @Nullable Value... inputs) {
        return nodes(OpId.onnx(op), outputs, opset, attributes, inputs);
    }

    public List<Value> nodes(
            OpId op, int outputs, int opset, Map<String, Attribute> attributes, @Nullable Value... inputs) {
        NodeSpec spec = NodeSpec.of(op, opset, inputs);
        for (var attribute : attributes.entrySet()) {
            spec = spec.with(attribute.getKey(), attribute.getValue());
        }
        var outputNames = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            outputNames.add(name());
        }
        Node node = editor.append(spec, outputNames);
        var values = new ArrayList<Value>();
        for (int i = 0; i < outputs; i++) {
            values.add(node.requireOutput(i));
        }
        return values;
    }

    public SmallGraph output(Value... values) {
        for (Value value : values) {
            editor.addOutput(value.name(), value);
        }
        return this;
    }

    /** The kernels of the program that was run last. */
    public List<String> kernels() {
        return kernels;
    }

    /** Runs the rules; a node that none of them lowers is an error. */
    public List<Datum> run() {
        Graph graph = editor.graph();
        TypeInference.infer(graph);
        Kernels shared = Kernels.shared();
        var environment =
                new CompileEnvironment(shared.set(), shared.gemm(), new Weights(new PackedTensors()), _ -> null);
        var fused = new GraphEditor(Graph.named("fused"));
        List<@Nullable Value> inputs = new ArrayList<>();
        for (Value input : graph.inputs()) {
            inputs.add(fused.addInput(input.name(), input.type()));
        }
        List<@Nullable String> outputs = new ArrayList<>();
        for (Value output : graph.outputs()) {
            outputs.add(output.name());
        }
        Node node = fused.append(NodeSpec.of(FUSED, 1, inputs), outputs);
        List<@Nullable Datum> results = DirectRun.run(new Lowered(graph, environment), node, given);
        return results.stream()
                .map(result -> (Datum) Objects.requireNonNull(result))
                .toList();
    }

    /** The graph as the provider's kernel runs it. */
    private final class Lowered implements ShapedKernel {
        private final Graph graph;
        private final CompileEnvironment environment;

        Lowered(Graph graph, CompileEnvironment environment) {
            this.graph = graph;
            this.environment = environment;
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return Inferred.of(graph, facts, environment).types();
        }

        @Override
        public Launch bind(BindContext context) {
            PartitionProgram program = new PartitionCompiler(graph, context, environment, Rules::of).lower();
            kernels = program.steps().stream().map(step -> step.kernel()).toList();
            return program;
        }
    }

    /** Computes the outputs by the reference kernels. */
    List<Datum> expected() {
        Graph copy = GraphCopier.copy(editor.graph(), null);
        TypeInference.infer(copy);
        var cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        return NestedRun.run(copy, Collections.unmodifiableList(given), ProviderKernels.of(copy, List.of(cpu)));
    }

    /** Compares with the reference: ints exactly, floats within {@code tolerance} of the largest one. */
    public void check(double tolerance) {
        List<Datum> expected = expected();
        List<Datum> actual = run();
        for (int i = 0; i < expected.size(); i++) {
            compare((Tensor) actual.get(i), (Tensor) expected.get(i), tolerance);
        }
    }

    private static void compare(Tensor actual, Tensor expected, double tolerance) {
        assertThat(actual.type()).isEqualTo(expected.type());
        assertThat(actual.shape()).isEqualTo(expected.shape());
        if (!expected.type().isFloating()) {
            assertThat(actual.longs()).isEqualTo(expected.longs());
            return;
        }
        double[] wanted = expected.doubles();
        double largest = Arrays.stream(wanted)
                .filter(Double::isFinite)
                .map(Math::abs)
                .max()
                .orElse(0);
        for (int i = 0; i < wanted.length; i++) {
            double is = Elements.getDouble(actual.type(), actual.segment(), i);
            if (!Double.isFinite(wanted[i])) {
                assertThat(is).as("element %s of %s", i, expected).isEqualTo(Double.valueOf(wanted[i]));
            } else {
                assertThat(is)
                        .as("element %s of %s", i, expected)
                        .isCloseTo(wanted[i], within(tolerance * Math.max(largest, 1e-6)));
            }
        }
    }
}
