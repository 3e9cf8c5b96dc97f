package dev.millrace.session.request;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives room to caches that a Concat extends, and to those of Attention that is not as {@link GrowingCaches} wants it, such
 * as attention with a mask. AppendSteps writes the new steps behind the valid ones, and all else reads the valid steps.
 */
final class AppendedCaches {
    private static final int STEPS = 2;
    private static final int RANK = 4;
    private static final int PAST_KEY = 4;
    private static final int LENGTHS = 6;
    private static final int SCORES = 3;
    /** The opset from which on Attention has an input for the lengths of its entries. */
    private static final int SINCE_LENGTHS = 24;

    private static final Attributes BY_HEAD = Attributes.of("perm", Attribute.of(0, 2, 1, 3));
    private static final Set<ElementType> TYPES = Set.of(ElementType.FLOAT, ElementType.FLOAT16, ElementType.BFLOAT16);

    private final RoomSteps steps;

    /** The nodes that read a cache beside the one that extends it. */
    private final Map<Value, List<Node>> others;

    private AppendedCaches(RoomSteps steps, Map<Value, List<Node>> others) {
        this.steps = steps;
        this.others = others;
    }

    /** Rewrites a graph all of whose caches are such; returns {@link CacheRoom#NONE} if it is left as it is. */
    static CacheRoom giveRoom(Graph graph) {
        Map<String, String> presents = new HashMap<>();
        var extending = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            int caches = caches(node);
            for (int i = 0; i < caches; i++) {
                addCache(graph, node.input(pastOf(node, i)), node.output(presentOf(node, i)), presents);
            }
            if (caches > 0) {
                extending.add(node);
            }
        }
        Value ids = graph.inputs().stream()
                .filter(input -> input.name().equals("input_ids"))
                .findFirst()
                .orElse(null);
        boolean areAll = graph.inputs().stream()
                .map(Value::name)
                .allMatch(name -> !name.startsWith("past") || presents.containsKey(name));
        int count = extending.stream().mapToInt(AppendedCaches::caches).sum();
        if (ids == null || extending.isEmpty() || !areAll || count != presents.size()) {
            return CacheRoom.NONE;
        }
        Value first = Objects.requireNonNull(extending.getFirst().input(pastOf(extending.getFirst(), 0)));
        Map<Value, List<Node>> others = new HashMap<>();
        for (Value input : graph.inputs()) {
            others.put(
                    input,
                    input.users().stream()
                            .filter(user -> !extending.contains(user))
                            .toList());
        }
        var rewriting = new AppendedCaches(new RoomSteps(graph, ids, first), others);
        extending.forEach(rewriting::rewrite);
        return new CacheRoom(GrowingCaches.MASK.name(), Map.copyOf(presents), false);
    }

    /** Returns how many caches a node extends, as far as its own form tells. */
    private static int caches(Node node) {
        if (node.is(OpName.CONCAT)) {
            long axis = node.attributes().integer("axis", 0);
            return node.inputs().size() == 2 && (axis == STEPS || axis == STEPS - RANK) && isCache(node.input(0))
                    ? 1
                    : 0;
        }
        boolean isAttention = node.is(OpName.ATTENTION) && node.op().domain().equals(OpId.ONNX);
        return isAttention
                        && node.inputs().size() > PAST_KEY + 1
                        && isCache(node.input(PAST_KEY))
                        && isCache(node.input(PAST_KEY + 1))
                        && node.inputs().stream().skip(LENGTHS).noneMatch(Objects::nonNull)
                        && (node.outputs().size() <= SCORES || node.output(SCORES) == null)
                ? 2
                : 0;
    }

    private static int pastOf(Node node, int cache) {
        return node.is(OpName.CONCAT) ? 0 : PAST_KEY + cache;
    }

    private static int presentOf(Node node, int cache) {
        return node.is(OpName.CONCAT) ? 0 : 1 + cache;
    }

    private static boolean isCache(@Nullable Value past) {
        ValueType.TensorType type = past != null && past.type() instanceof ValueType.TensorType tensor ? tensor : null;
        SymbolicShape shape = type == null || !TYPES.contains(type.element()) ? null : type.shape();
        return past != null
                && shape != null
                && shape.rank() == RANK
                && past.producer() == null
                && past.name().startsWith("past");
    }

    private static void addCache(
            Graph graph, @Nullable Value past, @Nullable Value present, Map<String, String> presents) {
        int named = present == null ? -1 : graph.outputs().indexOf(present);
        if (past != null && named >= 0 && graph.inputs().contains(past)) {
            presents.put(past.name(), graph.outputNames().get(named));
        }
    }

    private void rewrite(Node node) {
        if (node.is(OpName.CONCAT)) {
            Node behind = node.next();
            Value past = node.requireInput(0);
            Value rows = node.requireInput(1);
            Value present = node.requireOutput(0);
            steps.editor().replaceProducer(node);
            append(past, rows, present, behind);
        } else {
            attention(node);
        }
    }

    /** Lets a present be what AppendSteps makes; its readers, and other readers of the past, read the valid steps. */
    private Value append(Value past, Value rows, Value present, @Nullable Node behind) {
        List<Node> readers = List.copyOf(present.users());
        steps.editor()
                .insert(
                        NodeSpec.of(
                                new OpId(OpId.MILLRACE, OpName.APPEND_STEPS),
                                1,
                                past,
                                rows,
                                steps.before(),
                                steps.room()),
                        behind,
                        present);
        steps.editor().setType(present, null);
        Value valid = steps.valid(present, past.type(), behind);
        readers.forEach(reader -> read(reader, present, valid));
        List<Node> ofPast = others.getOrDefault(past, List.of());
        if (!ofPast.isEmpty()) {
            Value old = steps.before(past);
            ofPast.forEach(reader -> read(reader, past, old));
        }
        steps.open(past);
        return valid;
    }

    private void read(Node reader, Value old, Value instead) {
        for (int i = 0; i < reader.inputs().size(); i++) {
            if (reader.input(i) == old) {
                steps.editor().setInput(reader, i, instead);
            }
        }
    }

    private void attention(Node node) {
        Node behind = node.next();
        Attributes attributes = node.attributes();
        long heads = attributes.integer("q_num_heads", 0);
        long keyHeads = attributes.integer("kv_num_heads", 0);
        Value query = node.requireInput(0);
        Value mask = node.input(3);
        Value[] rows = {node.requireInput(1), node.requireInput(2)};
        Value[] pasts = {node.requireInput(PAST_KEY), node.requireInput(PAST_KEY + 1)};
        Value[] presents = {node.requireOutput(1), node.requireOutput(2)};
        Value result = node.requireOutput(0);
        boolean isFlat = heads > 0;
        steps.editor().replaceProducer(node);
        Value[] valid = new Value[2];
        for (int i = 0; i < 2; i++) {
            Value byHead = isFlat ? byHead(rows[i], keyHeads, behind) : rows[i];
            valid[i] = append(pasts[i], byHead, presents[i], behind);
        }
        boolean isCausal = attributes.flag("is_causal", false);
        var inputs = new ArrayList<@Nullable Value>();
        inputs.add(isFlat ? byHead(query, heads, behind) : query);
        inputs.addAll(List.of(valid));
        inputs.add(mask);
        if (isCausal) {
            inputs.add(null);
            inputs.add(null);
            inputs.add(lengths(query, behind));
        }
        int opset = isCausal ? Math.max(SINCE_LENGTHS, node.opset()) : node.opset();
        NodeSpec spec = NodeSpec.of(OpId.onnx(OpName.ATTENTION), opset, inputs)
                .named(node.name())
                .with(attributes.without("q_num_heads").without("kv_num_heads"));
        Value mixed = isFlat ? steps.value(null) : result;
        steps.editor().insert(spec, behind, mixed);
        if (isFlat) {
            Value byPlace = steps.op(OpName.TRANSPOSE, BY_HEAD, behind, mixed);
            NodeSpec flat = NodeSpec.of(OpId.onnx(OpName.RESHAPE), node.opset(), byPlace, steps.longs(0, 0, -1));
            steps.editor().insert(flat, behind, result);
        }
    }

    /** Returns the valid steps for each entry of the batch. */
    private Value lengths(Value query, @Nullable Node behind) {
        Value batch = steps.op(OpName.GATHER, Attributes.NONE, behind, steps.shape(query, behind), steps.longs(0));
        return steps.op(OpName.EXPAND, Attributes.NONE, behind, steps.end(), batch);
    }

    /** Returns rows of all heads by batch, head, step and depth. */
    private Value byHead(Value rows, long heads, @Nullable Node behind) {
        Value apart = steps.op(OpName.RESHAPE, Attributes.NONE, behind, rows, steps.longs(0, 0, heads, -1));
        return steps.op(OpName.TRANSPOSE, BY_HEAD, behind, apart);
    }
}
