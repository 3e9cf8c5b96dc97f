package dev.millrace.graph.infer.rule;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node as a rule sees it: what its inputs are known to be, and a place for what its outputs are. Shapes are lists
 * of extents, null where the rank is not known. Outputs that the node does not have may be set; nobody reads them.
 */
public final class InferenceContext {
    /** Strings live in an array. */
    private static final long MOST_STRINGS = Integer.MAX_VALUE - 8;

    private final Node node;
    private final NodeFacts facts;
    private final int depth;
    private final @Nullable ValueType[] outputs;

    InferenceContext(Node node, NodeFacts facts, int depth) {
        this.node = node;
        this.facts = facts;
        this.depth = depth;
        this.outputs = new ValueType[node.outputs().size()];
    }

    Node node() {
        return node;
    }

    String op() {
        return node.op().name();
    }

    int opset() {
        return node.opset();
    }

    Attributes attributes() {
        return node.attributes();
    }

    /** Infers a graph nested in the node, whose inputs are {@code inputTypes}; returns the types of its outputs. */
    List<@Nullable ValueType> body(Graph body, List<@Nullable ValueType> inputTypes) {
        return facts.body(body, inputTypes, depth);
    }

    int inputs() {
        return node.inputs().size();
    }

    int outputs() {
        return outputs.length;
    }

    boolean has(int input) {
        return node.input(input) != null;
    }

    @Nullable
    ValueType type(int input) {
        return has(input) ? facts.type(input) : null;
    }

    /** Input {@code input} as a tensor, {@link TypeLattice#ANY_TENSOR} where nothing is known; throws for anything else. */
    TensorType tensor(int input) {
        ValueType type = type(input);
        if (type instanceof TensorType tensor) {
            return tensor;
        }
        if (type != null) {
            throw refuse("input " + input + " is " + type + " where a tensor is expected");
        }
        return TypeLattice.ANY_TENSOR;
    }

    @Nullable
    ElementType element(int input) {
        return tensor(input).element();
    }

    /** The shape of input {@code input}, or null where its rank is not known. */
    @Nullable
    List<Dim> dims(int input) {
        TensorType tensor = tensor(input);
        return tensor.shape() == null ? null : tensor.shape().dims();
    }

    /** The shape of input {@code input}, which has {@code rank} axes; null where it is not known. */
    @Nullable
    List<Dim> dims(int input, int rank) {
        return dims(input, rank, rank);
    }

    /** The shape of input {@code input}, which has between {@code least} and {@code most} axes; null where not known. */
    @Nullable
    List<Dim> dims(int input, int least, int most) {
        List<Dim> dims = dims(input);
        if (dims != null && (dims.size() < least || dims.size() > most)) {
            String expected = least == most
                    ? "rank " + least
                    : most == Integer.MAX_VALUE ? "rank " + least + " or more" : "rank " + least + " to " + most;
            throw refuse("input " + input + " has shape " + dims + " where " + expected + " is expected");
        }
        return dims;
    }

    /** One extent of an input, unknown where its rank is; negative axes count from the end. */
    Dim dim(int input, int axis) {
        List<Dim> dims = dims(input);
        if (dims == null) {
            return Dim.UNKNOWN;
        }
        return dims.get(axis(axis, dims.size()));
    }

    @Nullable
    Tensor value(int input) {
        return has(input) ? facts.value(input) : null;
    }

    /** The whole numbers in input {@code input}, as far as they are known; null where not even their count is. */
    @Nullable
    List<Dim> integers(int input) {
        Tensor value = value(input);
        if (value != null) {
            return KnownContent.elements(value);
        }
        KnownContent content = content(input);
        if (content != null) {
            return content.items();
        }
        List<Dim> dims = dims(input);
        if (dims == null || dims.size() != 1 || !(dims.getFirst() instanceof Dim.Known count)) {
            return null;
        }
        return count.extent() <= KnownContent.LIMIT ? Dims.unknown((int) count.extent()) : null;
    }

    @Nullable
    KnownContent content(int input) {
        if (!has(input)) {
            return null;
        }
        KnownContent known = KnownContent.of(facts.value(input));
        return known != null ? known : facts.content(input);
    }

    /** The whole numbers in input {@code input} where all are known, or null. */
    long @Nullable [] longs(int input) {
        List<Dim> items = integers(input);
        if (items == null) {
            return null;
        }
        long[] values = new long[items.size()];
        for (int i = 0; i < values.length; i++) {
            if (!(items.get(i) instanceof Dim.Known known)) {
                return null;
            }
            values[i] = known.extent();
        }
        return values;
    }

    /** The one whole number in input {@code input}; unknown where it is not known, {@code otherwise} where omitted. */
    Dim integer(int input, Dim otherwise) {
        if (!has(input)) {
            return otherwise;
        }
        List<Dim> items = integers(input);
        if (items == null) {
            return Dim.UNKNOWN;
        }
        if (items.size() != 1) {
            throw refuse("input " + input + " has " + items.size() + " elements where one is expected");
        }
        return items.getFirst();
    }

    Dim integer(int input) {
        return integer(input, Dim.UNKNOWN);
    }

    void set(int output, @Nullable ValueType type) {
        if (output < outputs.length) {
            outputs[output] = type;
        }
    }

    void set(int output, @Nullable ElementType element, @Nullable List<Dim> dims) {
        if (dims != null) {
            for (Dim dim : dims) {
                if (dim instanceof Dim.Known known && known.extent() < 0) {
                    throw refuse("output " + output + " would have the negative extent " + known + " in shape " + dims);
                }
            }
            if (element == ElementType.STRING
                    && Dims.product(dims) instanceof Dim.Known count
                    && count.extent() > MOST_STRINGS) {
                throw refuse("output " + output + " would have " + count + " strings in shape " + dims + "; at most "
                        + MOST_STRINGS + " are possible");
            }
        }
        set(output, TypeLattice.tensor(element, dims));
    }

    /** Returns the types of the outputs; null where nothing is known. */
    public List<@Nullable ValueType> result() {
        List<@Nullable ValueType> result = new ArrayList<>();
        for (ValueType output : outputs) {
            result.add(output);
        }
        return result;
    }

    /** The type of output {@code output}; null where it is omitted or unknown. */
    public @Nullable ValueType output(int output) {
        return output < outputs.length ? outputs[output] : null;
    }

    /** The attribute's list; {@code count} times {@code otherwise} where it is absent. */
    long[] integers(String attribute, int count, long otherwise) {
        long[] values = attributes().integers(attribute);
        if (values == null) {
            values = new long[count];
            Arrays.fill(values, otherwise);
        } else if (values.length != count) {
            throw refuse(
                    "attribute '" + attribute + "' has " + values.length + " values where " + count + " are expected");
        }
        return values;
    }

    /** The element type that an attribute names by number; {@code otherwise} where it is absent. */
    @Nullable
    ElementType elementAttribute(String attribute, @Nullable ElementType otherwise) {
        return attributes().has(attribute)
                ? ElementType.requireCode(attributes().integer(attribute))
                : otherwise;
    }

    /** {@code axis} counted from the front. */
    int axis(long axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw refuse("axis " + axis + " is outside [-" + rank + ", " + rank + ")");
        }
        return (int) (axis < 0 ? axis + rank : axis);
    }

    int[] axes(long[] axes, int rank) {
        int[] counted = new int[axes.length];
        for (int i = 0; i < axes.length; i++) {
            counted[i] = axis(axes[i], rank);
            for (int j = 0; j < i; j++) {
                if (counted[j] == counted[i]) {
                    throw refuse("axis " + counted[i] + " is named twice in " + Arrays.toString(axes));
                }
            }
        }
        return counted;
    }

    /** {@code dims} with another extent at {@code axis}. */
    static List<Dim> with(List<Dim> dims, int axis, Dim dim) {
        var copy = new ArrayList<>(dims);
        copy.set(axis, dim);
        return copy;
    }

    /** Throws where input {@code input} certainly lacks {@code dim} at {@code axis}. */
    void expect(int input, int axis, Dim dim) {
        Dim found = dim(input, axis);
        if (Dims.differ(found, dim)) {
            throw refuse("input " + input + " has shape " + dims(input) + " where axis " + axis + " is expected to be "
                    + dim);
        }
    }

    EngineException refuse(String why) {
        return EngineException.invalidGraph(why);
    }
}
