package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.simd.lower.DataTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets a partition compute in floats of 32 bits what its model has in 16: kernels for the former are many and fast. Casts
 * stand where the partition reads floats of 16 bits and where it writes them; between its nodes nothing is rounded to them.
 * What only moves elements, and what is asked for as it is, stays.
 */
final class Widening {
    private static final int OPSET = 13;

    /** Operators that move elements of any type. */
    private static final Set<String> MOVES = Set.of(
            "Compress",
            "Concat",
            "DepthToSpace",
            "Dropout",
            "Expand",
            "Flatten",
            "Gather",
            "GatherElements",
            "GatherND",
            "Identity",
            "Pad",
            "Reshape",
            "Scatter",
            "ScatterElements",
            "ScatterND",
            "Slice",
            "SpaceToDepth",
            "Split",
            "Squeeze",
            "Tile",
            "Transpose",
            "Trilu",
            "Unsqueeze");

    /** Operators whose results are of the type that they say, or that another input has. */
    private static final Set<String> OF_GIVEN_TYPE =
            Set.of("CastLike", "ConstantOfShape", "EyeLike", "OneHot", "Range");

    private final GraphEditor editor;
    private final Map<Value, Value> casts = new HashMap<>();
    /** What was computed in 16 bits, with the type that it had. */
    private final Map<Value, ElementType> widened = new HashMap<>();

    private Widening(Graph graph) {
        editor = new GraphEditor(graph);
    }

    /** Does so with the graph of a partition that has no graphs within. */
    static void widen(Graph graph) {
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            if (!node.attributes().graphs().isEmpty()) {
                return;
            }
            nodes.add(node);
        }
        var widening = new Widening(graph);
        nodes.forEach(widening::node);
        List.copyOf(graph.outputs()).stream().distinct().forEach(widening::output);
    }

    private void node(Node node) {
        String name = node.op().name();
        boolean moves = MOVES.contains(name);
        if (name.equals("Cast") || moves && node.inputs().stream().noneMatch(widened::containsKey)) {
            return;
        }
        if (moves ? readsHalves(node) : hasGivenType(node) || keepsHalves(node)) {
            narrowInputs(node);
        } else {
            widenInputs(node);
        }
    }

    private static boolean hasGivenType(Node node) {
        return OF_GIVEN_TYPE.contains(node.op().name()) || node.attributes().has("output_dtype");
    }

    /** Whether a node reads floats of 16 bits that only a run knows. */
    private static boolean readsHalves(Node node) {
        return node.inputs().stream().anyMatch(input -> isHalf(input) && !input.isConstant());
    }

    /** Whether a node hands on what it keeps of earlier runs. */
    private static boolean keepsHalves(Node node) {
        return node.op().name().endsWith("Attention")
                && node.outputs().stream().skip(1).anyMatch(Objects::nonNull);
    }

    private static boolean isHalf(@Nullable Value value) {
        ElementType type = value == null ? null : value.elementType();
        return type != null && DataTypes.isHalf(type);
    }

    /** Also lets the results of a node that reads floats be wide. */
    private void widenInputs(Node node) {
        boolean reads = false;
        for (int i = 0; i < node.inputs().size(); i++) {
            Value input = node.input(i);
            if (input != null && isHalf(input)) {
                editor.setInput(node, i, cast(input, ElementType.FLOAT, node));
            }
            reads |= input != null && (isHalf(input) || widened.containsKey(input));
        }
        if (reads) {
            node.outputs().forEach(this::widen);
        }
    }

    private void narrowInputs(Node node) {
        for (int i = 0; i < node.inputs().size(); i++) {
            Value input = node.input(i);
            ElementType before = input == null ? null : widened.get(input);
            if (input != null && before != null) {
                editor.setInput(node, i, cast(input, before, node));
            }
        }
    }

    private void widen(@Nullable Value value) {
        if (value != null && isHalf(value) && value.type() instanceof TensorType(ElementType half, var shape)) {
            widened.put(value, half);
            editor.setType(value, new TensorType(ElementType.FLOAT, shape));
            editor.declare(value, null);
        }
    }

    /** Lets an output of the graph have the type that it had. */
    private void output(Value value) {
        ElementType before = widened.get(value);
        if (before != null) {
            Value narrow = cast(value, before, null);
            List<Node> readers = List.copyOf(value.users());
            editor.replaceUses(value, narrow);
            for (Node reader : readers) {
                readAgain(reader, narrow, value);
            }
        }
    }

    private void readAgain(Node reader, Value instead, Value value) {
        for (int i = 0; i < reader.inputs().size(); i++) {
            if (reader.input(i) == instead) {
                editor.setInput(reader, i, value);
            }
        }
    }

    private Value cast(Value value, ElementType to, @Nullable Node before) {
        Value known = casts.get(value);
        if (known == null) {
            ValueType type = value.type() instanceof TensorType(var _, var shape)
                    ? new TensorType(to, shape)
                    : ValueType.tensor(to);
            known = editor.value(value.name() + " as " + to, type);
            NodeSpec spec = NodeSpec.of(OpId.onnx("Cast"), OPSET, value).with("to", Attribute.of(to.code()));
            editor.insert(spec, before, known);
            casts.put(value, known);
        }
        return known;
    }
}
