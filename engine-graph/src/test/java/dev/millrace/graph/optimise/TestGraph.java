package dev.millrace.graph.optimise;

import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.optimise.pass.Pass;
import dev.millrace.graph.optimise.passes.Passes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A graph under construction, its types inferred as it grows, and a shorthand to run passes over it. */
public final class TestGraph {
    public final Graph graph;
    private final GraphEditor editor;
    private int opset = 21;
    private int names;

    public TestGraph() {
        this(Graph.named("test"));
    }

    private TestGraph(Graph graph) {
        this.graph = graph;
        this.editor = new GraphEditor(graph);
    }

    /** A graph nested in this one, to be given to a node as an attribute. */
    public TestGraph nested(String name) {
        return new TestGraph(Graph.nested(name, graph));
    }

    public TestGraph opset(int number) {
        opset = number;
        return this;
    }

    public Value input(ElementType type, Object... dims) {
        var shape = new SymbolicShape(Arrays.stream(dims)
                .map(dim -> dim instanceof Number extent ? Dim.of(extent.longValue()) : Dim.symbol(dim.toString()))
                .toList());
        return editor.addInput("in" + names++, ValueType.tensor(type, shape));
    }

    public Value input(Object... dims) {
        return input(ElementType.FLOAT, dims);
    }

    public Value constant(Tensor tensor) {
        return editor.addConstant("c" + names++, tensor);
    }

    public Value scalar(double value) {
        return constant(Tensor.scalar((float) value));
    }

    /** A float constant counting up from one. */
    public Value counting(long... dims) {
        float[] values = new float[(int) Arrays.stream(dims).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < values.length; i++) {
            values[i] = i + 1;
        }
        return constant(Tensor.copyOf(values, dims));
    }

    public Value integers(long... values) {
        return constant(Tensor.copyOf(values, values.length));
    }

    public Value op(String name, @Nullable Value... inputs) {
        return op(name, Attributes.NONE, inputs);
    }

    public Value op(String name, Attributes attributes, @Nullable Value... inputs) {
        return node(OpId.onnx(name), 1, attributes, inputs).requireOutput(0);
    }

    public Node node(OpId op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        var outputNames = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            outputNames.add("v" + names++);
        }
        Node node = editor.append(NodeSpec.of(op, opset, inputs).with(attributes), outputNames);
        TypeInference.infer(outermost());
        return node;
    }

    private Graph outermost() {
        Graph outermost = graph;
        for (Graph parent = graph.parent(); parent != null; parent = parent.parent()) {
            outermost = parent;
        }
        return outermost;
    }

    public TestGraph output(Value value) {
        editor.addOutput("out" + graph.outputs().size(), value);
        return this;
    }

    public static Attributes with(String name, long... values) {
        return Attributes.of(name, Attribute.of(values));
    }

    public static Attributes withInt(String name, long value) {
        return Attributes.of(name, Attribute.of(value));
    }

    /** Runs the standard passes of these names, checking after each patch; returns how many patches there were. */
    public int run(String... passes) {
        return run(ConstantEvaluator.NONE, passes);
    }

    public int run(ConstantEvaluator evaluator, String... passes) {
        List<String> names = List.of(passes);
        List<Pass> chosen = Passes.standard().stream()
                .filter(pass -> names.contains(pass.name()))
                .toList();
        if (chosen.size() != names.size()) {
            throw new IllegalArgumentException("no such pass among " + names);
        }
        return optimise(chosen, evaluator).patches().size();
    }

    public OptimisationReport optimise(List<Pass> passes, ConstantEvaluator evaluator) {
        var options = Optimiser.Options.builder().checkEachPatch(true).build();
        OptimisationReport report = new Optimiser(passes, options, evaluator).optimise(graph);
        if (!report.settled()) {
            throw new AssertionError("not settled: " + report);
        }
        return report;
    }

    /** The operators in order, their domain left out where it is ONNX's own. */
    public List<String> ops() {
        var ops = new ArrayList<String>();
        graph.nodes().forEach(node -> ops.add(node.op().toString()));
        return ops;
    }

    /** The first node of this operator. */
    public Node find(String op) {
        for (Node node : graph.nodes()) {
            if (node.op().name().equals(op)) {
                return node;
            }
        }
        throw new AssertionError("no " + op + " among " + ops());
    }

    /** The constant that input {@code index} of the first {@code op} reads. */
    public Tensor constantOf(String op, int index) {
        Tensor constant = find(op).requireInput(index).constant();
        if (constant == null) {
            throw new AssertionError("input " + index + " of " + find(op) + " is no constant");
        }
        return constant;
    }

    /** The constant that output {@code index} of the graph is. */
    public Tensor constantOutput(int index) {
        Tensor constant = graph.outputs().get(index).constant();
        if (constant == null) {
            throw new AssertionError("output " + index + " is no constant");
        }
        return constant;
    }
}
