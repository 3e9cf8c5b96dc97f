package dev.millrace.cli.fire;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A graph that is being written down, node by node. */
public final class Net {
    public static final int OPSET = 21;
    /** Versions of the smaller domains; a model names those alone that its nodes are of. */
    private static final Map<String, Integer> VERSIONS =
            Map.of(OpId.ONNX, OPSET, OpId.ONNX_ML, 5, OpId.ONNX_TRAINING, 1, OpId.MICROSOFT, 1);

    private final GraphEditor editor;
    private final Map<String, Integer> imports = new TreeMap<>(Map.of(OpId.ONNX, OPSET));
    private final Random random = new Random(5);
    private int names;

    private Net(Graph graph) {
        editor = new GraphEditor(graph);
    }

    public static Net named(String name) {
        return new Net(Graph.named(name));
    }

    /** The body of a node of this graph. */
    public Net body(String name) {
        return new Net(Graph.nested(name, editor.graph()));
    }

    public Graph graph() {
        return editor.graph();
    }

    private String fresh(String stem) {
        return editor.graph().name() + "_" + stem + names++;
    }

    /** @param dims extents as numbers, or as names where they are free */
    public Value input(String name, ElementType type, Object... dims) {
        Dim[] all = Arrays.stream(dims)
                .map(dim -> dim instanceof Number extent ? Dim.of(extent.longValue()) : Dim.symbol(dim.toString()))
                .toArray(Dim[]::new);
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(all)));
    }

    public Value floats(String name, Object... dims) {
        return input(name, ElementType.FLOAT, dims);
    }

    public Value weights(long... dims) {
        return constant(RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> random.nextGaussian() / 4));
    }

    public Value longs(long... values) {
        return constant(Tensor.copyOf(values, values.length));
    }

    public Value constant(Tensor tensor) {
        return editor.addConstant(fresh("c"), tensor);
    }

    public Value op(String op, @Nullable Value... inputs) {
        return op(op, Map.of(), inputs);
    }

    public Value op(String op, Map<String, ?> attributes, @Nullable Value... inputs) {
        return ops(op, 1, attributes, inputs).getFirst();
    }

    public List<Value> ops(String op, int outputs, Map<String, ?> attributes, @Nullable Value... inputs) {
        return ops(OpId.onnx(op), outputs, attributes, inputs);
    }

    public Value op(OpId op, Map<String, ?> attributes, @Nullable Value... inputs) {
        return ops(op, 1, attributes, inputs).getFirst();
    }

    public List<Value> ops(OpId op, int outputs, Map<String, ?> attributes, @Nullable Value... inputs) {
        int version = Objects.requireNonNull(VERSIONS.get(op.domain()), op.domain());
        imports.put(op.domain(), version);
        var named = new LinkedHashMap<String, Attribute>();
        attributes.forEach((name, value) -> named.put(name, attribute(value)));
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            names.add(fresh(op.name()));
        }
        var node = editor.append(NodeSpec.of(op, version, inputs).with(Attributes.of(named)), names);
        var values = new ArrayList<Value>();
        for (int i = 0; i < outputs; i++) {
            values.add(node.requireOutput(i));
        }
        return values;
    }

    private static Attribute attribute(Object value) {
        return switch (value) {
            case Integer number -> new Attribute.Int(number);
            case Float number -> new Attribute.Float(number);
            case String text -> Attribute.of(text);
            case int[] numbers ->
                new Attribute.Ints(
                        Arrays.stream(numbers).mapToObj(Long::valueOf).toList());
            case Attribute made -> made;
            case Net body -> Attribute.of(body.graph());
            default -> throw new IllegalArgumentException(value.toString());
        };
    }

    public Net output(Value value) {
        editor.addOutput(value.name(), value);
        return this;
    }

    public byte[] bytes() {
        return Models.toBytes(new Model(
                new Model.Header(10, "test", "1", "", 1, ""), imports, Map.of(), Map.of(), editor.graph(), null));
    }
}
