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
import dev.millrace.graph.op.OpName;
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
 * The widening of a partition from 16-bit floats (float16, bfloat16) to 32 bits, for which kernels are many and fast.
 * Casts are inserted where the partition reads 16-bit floats and where it writes them; values between its nodes are not
 * rounded to 16 bits. Operators that only move elements, and outputs whose type a node states, keep their type.
 */
final class PromoteFloat16 {
    private static final int OPSET = 13;

    /** Operators that move elements of any type. */
    private static final Set<String> MOVES = Set.of(
            OpName.COMPRESS,
            OpName.CONCAT,
            OpName.DEPTH_TO_SPACE,
            OpName.DROPOUT,
            OpName.EXPAND,
            OpName.FLATTEN,
            OpName.GATHER,
            "GatherElements",
            OpName.GATHER_ND,
            OpName.IDENTITY,
            OpName.PAD,
            OpName.RESHAPE,
            "Scatter",
            OpName.SCATTER_ELEMENTS,
            OpName.SCATTER_ND,
            OpName.SLICE,
            "SpaceToDepth",
            OpName.SPLIT,
            OpName.SQUEEZE,
            OpName.TILE,
            OpName.TRANSPOSE,
            OpName.TRILU,
            OpName.UNSQUEEZE);

    /** Operators whose results have a type that an attribute states, or that another input has. */
    private static final Set<String> OF_GIVEN_TYPE =
            Set.of(OpName.CAST_LIKE, OpName.CONSTANT_OF_SHAPE, "EyeLike", OpName.ONE_HOT, OpName.RANGE);

    private final GraphEditor editor;
    private final Map<Value, Value> casts = new HashMap<>();
    /** The values that were computed in 16 bits, with the type that they had. */
    private final Map<Value, ElementType> widened = new HashMap<>();

    private PromoteFloat16(Graph graph) {
        editor = new GraphEditor(graph);
    }

    /** Widens the graph of a partition; a graph with nested graphs is left as it is. */
    static void widen(Graph graph) {
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            if (!node.attributes().graphs().isEmpty()) {
                return;
            }
            nodes.add(node);
        }
        var widening = new PromoteFloat16(graph);
        nodes.forEach(widening::node);
        List.copyOf(graph.outputs()).stream().distinct().forEach(widening::output);
    }

    private void node(Node node) {
        String name = node.op().name();
        boolean moves = MOVES.contains(name);
        if (name.equals(OpName.CAST) || moves && node.inputs().stream().noneMatch(widened::containsKey)) {
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

    /** Whether a node reads 16-bit floats that are not constant. */
    private static boolean readsHalves(Node node) {
        return node.inputs().stream().anyMatch(input -> isHalf(input) && !input.isConstant());
    }

    /** Whether a node returns state that it keeps from run to run, such as the key/value cache of attention. */
    private static boolean keepsHalves(Node node) {
        return node.op().name().endsWith(OpName.ATTENTION)
                && node.outputs().stream().skip(1).anyMatch(Objects::nonNull);
    }

    private static boolean isHalf(@Nullable Value value) {
        ElementType type = value == null ? null : value.elementType();
        return type != null && DataTypes.isHalf(type);
    }

    /** Casts the 16-bit inputs of a node to 32 bits. Where it reads floats, its results become 32-bit, too. */
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

    /** Casts an output of the graph back to the type that it had. */
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
            NodeSpec spec = NodeSpec.of(OpId.onnx(OpName.CAST), OPSET, value).with("to", Attribute.of(to.code()));
            editor.insert(spec, before, known);
            casts.put(value, known);
        }
        return known;
    }
}
