package dev.millrace.session.request;

import dev.millrace.graph.infer.symbol.ExtentFormula;
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
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
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
    private final Value before;
    private final Value end;
    private final Value room;
    private final Dim validBefore;
    private final Dim valid;
    private int count;

    /**
     * Adds the mask and the numbers to a graph.
     *
     * @param ids the input of the tokens, by entry of a batch and place
     * @param past a cache
     */
    RoomSteps(Graph graph, Value ids, Value past) {
        editor = new GraphEditor(graph);
        Node begin = graph.nodes().iterator().next();
        Value mask = editor.addInput(
                GrowingCaches.MASK.name(),
                Objects.requireNonNull(GrowingCaches.MASK.type()),
                Tensor.allocate(ElementType.INT64, Shape.of(1, 0)));
        Value now = extent(ids, 1, begin);
        Value there = extent(past, STEPS, begin);
        Value given = extent(mask, 1, begin);
        Value isGiven = op(OpName.GREATER, Attributes.NONE, begin, given, longs(0));
        Value ones = op(OpName.REDUCE_SUM, OF_ALL, begin, mask, longs(1));
        Value most = op(OpName.REDUCE_MAX, Attributes.of("keepdims", Attribute.of(1L)), begin, ones);
        Value sum = op(OpName.SUB, Attributes.NONE, begin, most, now);
        before = op(OpName.WHERE, Attributes.NONE, begin, isGiven, sum, there);
        end = op(OpName.ADD, Attributes.NONE, begin, before, now);
        room = op(OpName.WHERE, Attributes.NONE, begin, isGiven, given, end);
        validBefore = named(past, STEPS, "past_steps");
        valid = Dim.symbol(ExtentFormula.of(new Dim.Symbol(validBefore + " + " + named(ids, 1, "new_steps")))
                .toString());
    }

    /** Returns the name of an extent, by which the optimiser knows equal extents of keys, values and masks. */
    private static Dim named(Value value, int axis, String otherwise) {
        SymbolicShape shape = value.shape();
        return shape != null && shape.dim(axis) instanceof Dim.Symbol symbol ? symbol : own(otherwise);
    }

    private static Dim own(String name) {
        return Dim.symbol(GrowingCaches.MASK.name() + "." + name);
    }

    GraphEditor editor() {
        return editor;
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

    private Value extent(Value value, long axis, Node behind) {
        return op(OpName.GATHER, Attributes.NONE, behind, shape(value, behind), longs(axis));
    }

    Value shape(Value value, @Nullable Node behind) {
        return op(OpName.SHAPE, Attributes.NONE, behind, value);
    }

    /** Returns the steps of a past that are valid before the run. */
    Value before(Value past) {
        // the first node of the model may have been replaced
        Node behind = Objects.requireNonNull(room.producer()).next();
        return first(past, past.type(), validBefore, before, behind);
    }

    /**
     * Returns the steps of a present that are valid behind the run.
     *
     * @param past the type of the past
     */
    Value valid(Value present, @Nullable ValueType past, @Nullable Node behind) {
        return first(present, past, valid, end, behind);
    }

    private Value first(Value cache, @Nullable ValueType like, Dim extent, Value steps, @Nullable Node behind) {
        Value first = op(OpName.SLICE, Attributes.NONE, behind, cache, longs(0), steps, longs(STEPS));
        editor.setType(first, with(like, extent));
        return first;
    }

    /** Gives the steps of a past a name of their own, since they are no longer those that are valid. */
    void open(Value past) {
        editor.setType(past, with(past.type(), own("room")));
    }

    private static @Nullable ValueType with(@Nullable ValueType cache, Dim steps) {
        if (!(cache instanceof ValueType.TensorType type) || type.shape() == null) {
            return cache;
        }
        var dims = new ArrayList<>(type.shape().dims());
        dims.set(STEPS, steps);
        return ValueType.tensor(type.element(), new SymbolicShape(dims));
    }
}
