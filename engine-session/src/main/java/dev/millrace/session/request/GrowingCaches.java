package dev.millrace.session.request;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives room to the caches of ONNX's Attention, whose past has as many steps as the tensor. Each causal attention without
 * a mask becomes a GroupQueryAttention, which is told the number of valid steps. That number follows from a further mask
 * of the graph, an input that may be left out: then all steps of the past are valid, as in the model that was read.
 */
public final class GrowingCaches {
    /** The attention mask that only a generator gives. */
    public static final ValueInfo MASK = new ValueInfo(
            "dev.millrace.attention_mask", ValueType.tensor(ElementType.INT64, SymbolicShape.ofRank(2)), true);

    private static final int MASKS = 3;
    private static final int PAST_KEY = 4;
    private static final int PAST_VALUE = 5;
    private static final int SCORES = 3;
    private static final int DEPTH = 3;
    private static final Set<ElementType> TYPES = Set.of(ElementType.FLOAT, ElementType.FLOAT16, ElementType.BFLOAT16);

    private final GraphEditor editor;
    /** The first attention, before which the steps are computed. */
    private final Node first;

    private int count;

    private final int opset;

    private GrowingCaches(Node attention) {
        editor = new GraphEditor(attention.graph());
        first = attention;
        opset = attention.opset();
    }

    /** Rewrites a graph all of whose caches may get room; returns {@link CacheRoom#NONE} if it is left as it is. */
    public static CacheRoom giveRoom(Graph graph) {
        var attention = new ArrayList<Node>();
        Map<String, String> presents = new HashMap<>();
        for (Node node : graph.nodes()) {
            if (!node.is(OpName.ATTENTION) || !node.op().domain().equals(OpId.ONNX)) {
                continue;
            }
            if (!isSuited(node) || !add(node, PAST_KEY, 1, presents) || !add(node, PAST_VALUE, 2, presents)) {
                return AppendedCaches.giveRoom(graph);
            }
            attention.add(node);
        }
        if (attention.isEmpty()) {
            return AppendedCaches.giveRoom(graph);
        }
        var rewriting = new GrowingCaches(attention.getFirst());
        Steps steps = rewriting.steps(attention.getFirst());
        attention.forEach(node -> rewriting.replace(node, steps));
        return new CacheRoom(MASK.name(), Map.copyOf(presents), true);
    }

    private static boolean isSuited(Node node) {
        Attributes attributes = node.attributes();
        long heads = attributes.integer("q_num_heads", 0);
        long keyHeads = attributes.integer("kv_num_heads", 0);
        boolean hasMask = node.inputs().size() > MASKS && node.input(MASKS) != null;
        boolean hasLengths = node.inputs().stream().skip(PAST_VALUE + 1L).anyMatch(Objects::nonNull);
        boolean hasScores = node.outputs().size() > SCORES && node.output(SCORES) != null;
        return attributes.flag("is_causal", false)
                && heads > 0
                && keyHeads > 0
                && heads % keyHeads == 0
                && attributes.real("scale", 1) != 0
                && !hasMask
                && !hasLengths
                && !hasScores
                && node.inputs().size() > PAST_VALUE
                && rowsOfCache(node.input(PAST_KEY)) > 0
                && rowsOfCache(node.input(PAST_KEY)) == rowsOfCache(node.input(PAST_VALUE));
    }

    /** Returns the size of a cache's rows; 0 if it is no cache. */
    private static long rowsOfCache(@Nullable Value past) {
        ValueType.TensorType type = past != null && past.type() instanceof ValueType.TensorType tensor ? tensor : null;
        SymbolicShape shape = type == null || !TYPES.contains(type.element()) ? null : type.shape();
        return shape == null || shape.rank() != DEPTH + 1
                ? 0
                : Math.max(0, shape.dim(DEPTH).extentOrMinusOne());
    }

    /** Notes a cache that nothing but the attention reads and writes. */
    private static boolean add(Node node, int input, int output, Map<String, String> presents) {
        Graph graph = node.graph();
        Value past = node.input(input);
        Value present = node.outputs().size() > output ? node.output(output) : null;
        int named = present == null ? -1 : graph.outputs().indexOf(present);
        if (past == null
                || present == null
                || named < 0
                || !present.users().isEmpty()
                || !graph.inputs().contains(past)
                || past.users().size() != 1
                || graph.outputs().contains(past)) {
            return false;
        }
        return presents.put(past.name(), graph.outputNames().get(named)) == null;
    }

    /** The last places of the entries of the batch, and the steps that the caches have room for. */
    private record Steps(Value last, Value total) {}

    private Steps steps(Node node) {
        Value mask = editor.addInput(
                MASK.name(), Objects.requireNonNull(MASK.type()), Tensor.allocate(ElementType.INT64, Shape.of(1, 0)));
        Value query = shape(node.requireInput(0));
        Value room = extent(shape(mask), 1);
        Value all = op("Add", extent(shape(node.requireInput(PAST_KEY)), 2), extent(query, 1));
        Value isGiven = op("Greater", room, longs(0));
        Value one = editor.addConstant(name(), Tensor.copyOf(new int[] {1}, 1));
        Value given = op("Sub", int32(op("ReduceSum", keepingNothing(), mask, longs(1))), one);
        Value last = op("Where", isGiven, given, int32(op("Sub", all, longs(1))));
        return new Steps(op("Expand", last, extent(query, 0)), int32(op("Where", isGiven, room, all)));
    }

    private static Attributes keepingNothing() {
        return Attributes.of("keepdims", Attribute.of(0L));
    }

    private Value shape(Value value) {
        return op("Shape", value);
    }

    private Value extent(Value shape, long axis) {
        return op("Gather", shape, longs(axis));
    }

    private Value int32(Value value) {
        return op("Cast", Attributes.of("to", Attribute.of((long) ElementType.INT32.code())), value);
    }

    private Value longs(long value) {
        return editor.addConstant(name(), Tensor.copyOf(new long[] {value}, 1));
    }

    private Value op(String name, Value... inputs) {
        return op(name, Attributes.NONE, inputs);
    }

    private Value op(String name, Attributes attributes, Value... inputs) {
        Value result = editor.value(name(), null);
        NodeSpec spec = NodeSpec.of(OpId.onnx(name), opset, inputs).with(attributes);
        editor.insert(spec, first, result);
        return result;
    }

    private String name() {
        return MASK.name() + "/" + count++;
    }

    private void replace(Node node, Steps steps) {
        Attributes attributes = node.attributes();
        NodeSpec spec = NodeSpec.of(
                        new OpId(OpId.MICROSOFT, OpName.GROUP_QUERY_ATTENTION),
                        1,
                        node.requireInput(0),
                        node.requireInput(1),
                        node.requireInput(2),
                        node.requireInput(PAST_KEY),
                        node.requireInput(PAST_VALUE),
                        steps.last(),
                        steps.total())
                .named(node.name())
                .with("num_heads", Attribute.of(attributes.integer("q_num_heads")))
                .with("kv_num_heads", Attribute.of(attributes.integer("kv_num_heads")))
                .with("scale", Attribute.of(attributes.real("scale", 0)))
                .with("softcap", Attribute.of(attributes.real("softcap", 0)));
        Node behind = node.next();
        editor.replaceProducer(node);
        editor.insert(spec, behind, node.outputs().toArray(Value[]::new));
    }
}
