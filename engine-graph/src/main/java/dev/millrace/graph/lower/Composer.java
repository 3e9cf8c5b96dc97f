package dev.millrace.graph.lower;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes other nodes before a node, and lets its readers read their results. */
final class Composer {
    /** The opset of what is written where nothing asks for an older one. */
    static final int OPSET = 21;

    private final Node node;
    private final @Nullable Node anchor;
    private final GraphEditor editor;
    private final String stem;
    private final @Nullable Value[] results;
    /** The composer that this one writes a nested graph for. */
    private final @Nullable Composer outer;

    private boolean asks;

    Composer(Node node) {
        this(node, node, node.graph(), null);
    }

    private Composer(Node node, @Nullable Node anchor, Graph graph, @Nullable Composer outer) {
        this.node = node;
        this.outer = outer;
        this.anchor = anchor;
        this.editor = new GraphEditor(graph);
        this.results = new Value[node.outputs().size()];
        Value first = node.output(0);
        this.stem = first == null ? node.op().name() : first.name();
    }

    /** A composer for the same node that writes at the end of a new graph, which may read the values around the node. */
    Composer nested(String name) {
        return new Composer(node, null, Graph.nested(name, node.graph()), this);
    }

    /** An input of the graph that is written. */
    Value parameter(String name) {
        return editor.addInput(stem + "/" + name, null);
    }

    /** The graph that was written, which gives these values. */
    Graph giving(Value... outputs) {
        for (Value output : outputs) {
            editor.addOutput(output.name(), output);
        }
        return editor.graph();
    }

    Node node() {
        return node;
    }

    Attributes attributes() {
        return node.attributes();
    }

    boolean has(int input) {
        return node.input(input) != null;
    }

    /** Input {@code index}, or null where it is omitted. */
    @Nullable
    Value find(int index) {
        return node.input(index);
    }

    Value input(int index) {
        return node.requireInput(index);
    }

    /** Whether an element type, a rank or an extent of an input was asked for, known or not. */
    boolean asks() {
        return asks;
    }

    private Value asked(int input) {
        noteQuestion();
        return input(input);
    }

    private void noteQuestion() {
        asks = true;
        if (outer != null) {
            outer.noteQuestion();
        }
    }

    ElementType element(int input) {
        ElementType type = asked(input).elementType();
        if (type == null) {
            throw needed("the element type of input " + input + " is not known");
        }
        return type;
    }

    int rank(int input) {
        SymbolicShape shape = asked(input).shape();
        if (shape == null) {
            throw needed("the rank of input " + input + " is not known");
        }
        return shape.rank();
    }

    /** An extent of an input, which has to be known before a run. */
    long extent(int input, int axis) {
        SymbolicShape shape = asked(input).shape();
        if (shape != null && shape.rank() > axis && shape.dim(axis) instanceof Dim.Known(long extent)) {
            return extent;
        }
        throw needed("extent " + axis + " of input " + input + " is not known before a run");
    }

    /** Whether anybody reads output {@code index}. */
    boolean wants(int index) {
        Value output = node.output(index);
        return output != null && output.isUsed();
    }

    private ShapeNeeded needed(String what) {
        return new ShapeNeeded(node.describe() + ": " + what);
    }

    EngineException refuse(String what) {
        return EngineException.notImplemented(node.describe() + ": " + what);
    }

    void refuse(boolean present, String what) {
        if (present) {
            throw refuse(what);
        }
    }

    /** A node of ONNX's own operator {@code name}, to be {@linkplain #add added}. */
    NodeSpec onnx(String name, @Nullable Value... inputs) {
        return spec(OpId.onnx(name), OPSET, inputs);
    }

    NodeSpec onnx(String name, int opset, @Nullable Value... inputs) {
        return spec(OpId.onnx(name), opset, inputs);
    }

    /** A node of an operator that only this engine has. */
    NodeSpec own(String name, @Nullable Value... inputs) {
        return spec(new OpId(OpId.MILLRACE, name), 1, inputs);
    }

    NodeSpec contributed(String name, @Nullable Value... inputs) {
        return spec(new OpId(OpId.MICROSOFT, name), 1, inputs);
    }

    private NodeSpec spec(OpId op, int opset, @Nullable Value... inputs) {
        String name = node.name().isEmpty() ? "" : node.name() + "/" + op.name();
        return NodeSpec.of(op, opset, inputs).named(name);
    }

    /** Adds a node, and returns its first output. */
    Value add(NodeSpec spec) {
        return add(spec, 1).getFirst();
    }

    /** Adds a node of so many outputs. */
    List<Value> add(NodeSpec spec, int outputs) {
        var values = new ArrayList<Value>();
        for (int i = 0; i < outputs; i++) {
            values.add(editor.value(stem + "/" + spec.op().name(), null));
        }
        editor.insert(spec, anchor, values.toArray(new Value[0]));
        return values;
    }

    /** Adds a node of ONNX's own operator {@code name} without attributes, and returns its output. */
    Value op(String name, @Nullable Value... inputs) {
        return add(onnx(name, inputs));
    }

    Value transpose(Value value, long... permutation) {
        return add(onnx(OpName.TRANSPOSE, value).with("perm", Attribute.of(permutation)));
    }

    /** The extents of {@code value} from an axis to before another, as a vector. */
    Value extents(Value value, int from, int to) {
        return add(onnx(OpName.SHAPE, value).with("start", Attribute.of(from)).with("end", Attribute.of(to)));
    }

    /** Parts side by side along an axis. */
    Value concat(int axis, Value... parts) {
        return add(onnx(OpName.CONCAT, parts).with("axis", Attribute.of(axis)));
    }

    /** {@code value} in so many equal parts along its last axis. */
    List<Value> split(Value value, int parts) {
        NodeSpec spec =
                onnx(OpName.SPLIT, value).with("axis", Attribute.of(-1)).with("num_outputs", Attribute.of(parts));
        return add(spec, parts);
    }

    Value cast(Value value, ElementType type) {
        return add(onnx(OpName.CAST, value).with("to", Attribute.of(type.code())));
    }

    /** Writes what is in a graph of one input and one output, and returns what stands for the output. */
    Value body(Graph graph, Value input) {
        if (graph.inputs().size() != 1 || graph.outputs().size() != 1) {
            throw refuse("a graph of " + graph.inputs().size() + " inputs and "
                    + graph.outputs().size() + " outputs, where one of each is expected");
        }
        Map<Value, @Nullable Value> inputs = new HashMap<>();
        inputs.put(graph.inputs().getFirst(), input);
        return Objects.requireNonNull(GraphCopier.copyInto(graph, editor, anchor, inputs, GraphCopier.Rewrite.NOTHING)
                .getFirst());
    }

    /** The element type that an attribute names by its number. */
    ElementType elementAttribute(String name, ElementType otherwise) {
        return ElementType.requireCode(node.attributes().integer(name, otherwise.code()));
    }

    /** A constant vector. */
    Value longs(long... values) {
        return constant(Tensor.copyOf(values, values.length));
    }

    Value scalar(long value) {
        return constant(Tensor.scalar(value));
    }

    Value scalar(ElementType type, double value) {
        return reals(type, Shape.SCALAR, value);
    }

    Value reals(ElementType type, Shape shape, double... values) {
        Tensor tensor = Tensor.allocate(type, shape);
        for (int i = 0; i < values.length; i++) {
            Elements.setDouble(type, tensor.segment(), i, values[i]);
        }
        return constant(tensor);
    }

    Value constant(Tensor tensor) {
        return editor.addConstant(stem + "/constant", tensor);
    }

    /** Lets {@code value} be the first output. */
    void result(Value value) {
        result(0, value);
    }

    void result(int output, Value value) {
        if (output < results.length) {
            results[output] = value;
        }
    }

    /** Takes the node away; its readers read the results. */
    void replace() {
        for (int i = 0; i < results.length; i++) {
            Value old = node.output(i);
            if (old == null || !old.isUsed()) {
                continue;
            }
            Value result = results[i];
            if (result == null) {
                throw refuse("output " + i);
            }
            if (result.producer() == null) {
                result = op(OpName.IDENTITY, result);
            }
            editor.rename(result, old.name());
            editor.setType(result, old.type());
            editor.declare(result, old.declared());
            editor.note(result, old.notes());
            editor.replaceUses(old, result);
        }
        editor.remove(node);
    }
}
