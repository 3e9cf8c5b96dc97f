package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.OptionalType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operators that run nested graphs. */
public final class ControlFlowInference {
    /** How often a loop's body is looked at before the shapes that still change are given up. */
    private static final int ROUNDS = 4;

    private ControlFlowInference() {}

    /** If: the branch that is certainly taken, or what both have in common. */
    static void branch(InferenceContext c) {
        String taken = taken(c);
        if (taken != null) {
            setAll(c, results(c, taken));
            return;
        }
        List<@Nullable ValueType> one = results(c, "then_branch");
        List<@Nullable ValueType> other = results(c, "else_branch");
        for (int i = 0; i < c.outputs(); i++) {
            c.set(i, TypeLattice.join(one.get(i), other.get(i)));
        }
    }

    /** The attribute with the branch of an If that is certainly taken, or null. */
    public static @Nullable String taken(InferenceContext c) {
        KnownContent condition = c.content(0);
        if (condition == null || condition.items().size() != 1) {
            return null;
        }
        return condition.items().getFirst() instanceof Dim.Known known
                ? known.extent() != 0 ? "then_branch" : "else_branch"
                : null;
    }

    private static List<@Nullable ValueType> results(InferenceContext c, String attribute) {
        Graph branch = c.attributes().graph(attribute);
        if (branch.outputs().size() != c.outputs()) {
            throw c.refuse("attribute '" + attribute + "' has "
                    + branch.outputs().size() + " outputs, the node " + c.outputs());
        }
        if (!branch.inputs().isEmpty()) {
            throw c.refuse("attribute '" + attribute + "' has an input '"
                    + branch.inputs().getFirst().name() + "', but an If gives its branches no values");
        }
        return c.body(branch, List.of());
    }

    private static void setAll(InferenceContext c, List<@Nullable ValueType> types) {
        for (int i = 0; i < types.size(); i++) {
            c.set(i, types.get(i));
        }
    }

    /** BeamSearch: its graphs are given what they declare; numbers of sequences and words are inputs. */
    static void beamSearch(InferenceContext c) {
        Dim batch = searched(c);
        Dim kept = count(c, 4);
        c.set(0, ElementType.INT32, List.of(batch, kept, count(c, 1)));
        c.set(1, scores(c), List.of(batch, kept));
        c.set(2, scores(c), List.of(Dim.UNKNOWN, batch, count(c, 3), Dim.UNKNOWN));
    }

    /** GreedySearch and Sampling, whose graphs are those of BeamSearch. */
    static void greedySearch(InferenceContext c) {
        c.set(0, ElementType.INT32, List.of(searched(c), count(c, 1)));
    }

    /** Infers the graphs of a search; returns how many texts it begins with. */
    private static Dim searched(InferenceContext c) {
        for (Graph graph : c.attributes().graphs()) {
            List<@Nullable ValueType> values = new ArrayList<>();
            graph.inputs().forEach(input -> values.add(withRank(input.described())));
            c.body(graph, values);
        }
        List<Dim> words = c.dims(0, 2, 3);
        return words == null ? Dim.UNKNOWN : words.getFirst();
    }

    private static Dim count(InferenceContext c, int input) {
        Dim count = c.integer(input);
        if (count instanceof Dim.Known known && known.extent() < 1) {
            throw c.refuse("input " + input + " is " + known.extent() + " where a positive number is expected");
        }
        return count;
    }

    /** A declared tensor of any extents. */
    private static @Nullable ValueType withRank(@Nullable ValueType declared) {
        return declared instanceof TensorType tensor && tensor.shape() != null && tensor.element() != null
                ? TypeLattice.tensor(
                        tensor.element(), Dims.unknown(tensor.shape().rank()))
                : TypeLattice.withoutShape(declared);
    }

    /** Scores have the type of the penalties where there is one. */
    private static ElementType scores(InferenceContext c) {
        ElementType type = c.has(5) ? c.element(5) : c.has(6) ? c.element(6) : null;
        return type == null ? ElementType.FLOAT : type;
    }

    /**
     * Loop: what is carried is what it was at first and after any round. An optional that the body fills is what it is
     * filled with; a model that says so runs the body at least once.
     */
    static void loop(InferenceContext c) {
        Graph body = c.attributes().graph("body");
        int carried = Math.max(0, c.inputs() - 2);
        int stacked = body.outputs().size() - 1 - carried;
        if (body.inputs().size() != carried + 2 || stacked < 0 || c.outputs() > carried + stacked) {
            throw c.refuse("the body takes " + body.inputs().size() + " values and gives "
                    + body.outputs().size() + "; " + carried + " values are carried and the node has " + c.outputs()
                    + " outputs");
        }
        List<@Nullable ValueType> state = new ArrayList<>();
        for (int i = 0; i < carried; i++) {
            if (!c.has(i + 2)) {
                throw c.refuse("input " + (i + 2) + " is omitted, but is carried from round to round");
            }
            state.add(c.type(i + 2));
        }
        List<@Nullable ValueType> values = new ArrayList<>();
        List<@Nullable ValueType> results = List.of();
        for (int round = 0; round <= ROUNDS; round++) {
            values.clear();
            values.add(single(ElementType.INT64, body.inputs().get(0)));
            values.add(single(ElementType.BOOL, body.inputs().get(1)));
            values.addAll(state);
            results = c.body(body, values);
            List<@Nullable ValueType> next = new ArrayList<>();
            for (int i = 0; i < carried; i++) {
                next.add(TypeLattice.join(state.get(i), results.get(i + 1)));
            }
            if (next.equals(state)) {
                break;
            }
            // Shapes follow from each other: while one changes, none is sure.
            state = round < ROUNDS - 1 ? next : withoutShapes(next);
        }
        for (int i = 0; i < carried; i++) {
            ValueType result = results.get(i + 1);
            boolean unwrapped = state.get(i) instanceof OptionalType && !(result instanceof OptionalType);
            c.set(i, unwrapped ? TypeLattice.withoutShape(result) : state.get(i));
        }
        for (int i = 0; i < stacked; i++) {
            c.set(carried + i, stacked(results.get(1 + carried + i), Dim.UNKNOWN, 0, c));
        }
    }

    /** The number of a round or the condition as the body sees it: as a vector of one where it says so itself. */
    private static ValueType single(ElementType element, Value input) {
        boolean vector = input.described() instanceof TensorType tensor
                && tensor.shape() != null
                && tensor.shape().rank() == 1;
        return TypeLattice.tensor(element, vector ? Dims.of(1) : List.of());
    }

    private static List<@Nullable ValueType> withoutShapes(List<@Nullable ValueType> types) {
        List<@Nullable ValueType> bare = new ArrayList<>();
        for (ValueType type : types) {
            bare.add(TypeLattice.withoutShape(type));
        }
        return bare;
    }

    /** A tensor of {@code count} tensors of {@code type}, put together along a new axis. */
    static @Nullable ValueType stacked(@Nullable ValueType type, Dim count, long axis, InferenceContext c) {
        if (!(type instanceof TensorType tensor)) {
            if (type != null) {
                throw c.refuse("the body gives " + type + " where a tensor is expected");
            }
            return null;
        }
        if (tensor.shape() == null) {
            return tensor;
        }
        var dims = new ArrayList<>(tensor.shape().dims());
        dims.add(c.axis(axis, dims.size() + 1), count);
        return TypeLattice.tensor(tensor.element(), dims);
    }

    /** SequenceMap: the body sees one element of each sequence. */
    static void sequenceMap(InferenceContext c) {
        Graph body = c.attributes().graph("body");
        if (body.inputs().size() != c.inputs() || body.outputs().size() < c.outputs()) {
            throw c.refuse("the body takes " + body.inputs().size() + " values and gives "
                    + body.outputs().size() + "; the node has " + c.inputs() + " inputs and " + c.outputs()
                    + " outputs");
        }
        List<@Nullable ValueType> values = new ArrayList<>();
        for (int i = 0; i < c.inputs(); i++) {
            ValueType type = c.type(i);
            values.add(type instanceof SequenceType sequence ? sequence.element() : type);
        }
        List<@Nullable ValueType> results = c.body(body, values);
        for (int i = 0; i < c.outputs(); i++) {
            c.set(i, SequenceInference.sequence(results.get(i)));
        }
    }
}
