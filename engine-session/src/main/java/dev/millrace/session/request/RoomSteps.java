package dev.millrace.session.request;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of steps of caches with room, which follow from {@link GrowingCaches#MASK} and are computed at the beginning of
 * a graph. Without the mask, all steps of the past are valid, and there is no room.
 */
final class RoomSteps {
    private static final int OPSET = 18;
    private static final int STEPS = 2;
    private static final Attributes OF_ALL = Attributes.of("keepdims", Attribute.of(0L));

    private final GraphEditor editor;
    private final Node begin;
    private final Value before;
    private final Value end;
    private final Value room;
    private int count;

    /**
     * Adds the mask and the numbers to a graph.
     *
     * @param ids the input of the tokens, by entry of a batch and place
     * @param past a cache
     */
    RoomSteps(Graph graph, Value ids, Value past) {
        editor = new GraphEditor(graph);
        begin = graph.nodes().iterator().next();
        Value mask = editor.addInput(
                GrowingCaches.MASK.name(),
                Objects.requireNonNull(GrowingCaches.MASK.type()),
                Tensor.allocate(ElementType.INT64, Shape.of(1, 0)));
        Value now = extent(ids, 1);
        Value there = extent(past, STEPS);
        Value given = extent(mask, 1);
        Value isGiven = op(OpName.GREATER, Attributes.NONE, begin, given, longs(0));
        Value ones = op(OpName.REDUCE_SUM, OF_ALL, begin, mask, longs(1));
        Value most = op(OpName.REDUCE_MAX, Attributes.of("keepdims", Attribute.of(1L)), begin, ones);
        Value sum = op(OpName.SUB, Attributes.NONE, begin, most, now);
        before = op(OpName.WHERE, Attributes.NONE, begin, isGiven, sum, there);
        end = op(OpName.ADD, Attributes.NONE, begin, before, now);
        room = op(OpName.WHERE, Attributes.NONE, begin, isGiven, given, end);
    }

    GraphEditor editor() {
        return editor;
    }

    /** The node before which the numbers are computed. */
    Node begin() {
        return begin;
    }

    /** The valid steps of the past. */
    Value before() {
        return before;
    }

    /** The valid steps of the present. */
    Value end() {
        return end;
    }

    /** The steps that the present has room for. */
    Value room() {
        return room;
    }

    private String name() {
        return GrowingCaches.MASK.name() + "/" + count++;
    }

    Value longs(long... values) {
        return editor.addConstant(name(), Tensor.copyOf(values, values.length));
    }

    /** Returns a value without a source yet. */
    Value value(@Nullable ValueType type) {
        return editor.value(name(), type);
    }

    /** Adds a node of ONNX's own operators before another one, or at the end. */
    Value op(String name, Attributes attributes, @Nullable Node behind, Value... inputs) {
        Value result = value(null);
        editor.insert(NodeSpec.of(OpId.onnx(name), OPSET, inputs).with(attributes), behind, result);
        return result;
    }

    private Value extent(Value value, long axis) {
        return op(OpName.GATHER, Attributes.NONE, begin, shape(value, begin), longs(axis));
    }

    Value shape(Value value, @Nullable Node behind) {
        return op(OpName.SHAPE, Attributes.NONE, behind, value);
    }

    /** Returns the first steps of a cache. */
    Value first(Value cache, @Nullable ValueType type, Value steps, @Nullable Node behind) {
        Value first = op(OpName.SLICE, Attributes.NONE, behind, cache, longs(0), steps, longs(STEPS));
        editor.setType(first, type);
        return first;
    }
}
