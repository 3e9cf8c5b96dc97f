package dev.millrace.session.request;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The caches of a language model that may have room for more steps than they hold. GroupQueryAttention is told the number of
 * valid steps. The mask, from which that number is made, may then be longer than the sequence, with
 * zeros behind it. Later steps are written in place, and all steps up to the end of the room have the same shapes.
 *
 * @param mask the input of the attention mask; null if no cache may have room
 * @param presents the outputs that are the caches of the next step, by the inputs that are those of this one
 * @param mayDiffer whether entries of a batch may have different numbers of valid steps
 */
public record CacheRoom(@Nullable String mask, Map<String, String> presents, boolean mayDiffer) {
    public static final CacheRoom NONE = new CacheRoom(null, Map.of(), false);

    private static final int PAST_KEY = 3;
    private static final int PAST_VALUE = 4;
    private static final int LAST_PLACES = 5;
    private static final int TOTAL = 6;
    private static final int BIAS = 10;
    /** Operators that keep the sum of a mask a number of steps. */
    private static final Set<String> OF_NUMBERS = Set.of(
            OpName.CAST,
            OpName.SUB,
            OpName.IDENTITY,
            OpName.SQUEEZE,
            OpName.UNSQUEEZE,
            OpName.RESHAPE,
            OpName.REDUCE_SUM);

    /** Whether the mask is {@link GrowingCaches#MASK}. */
    public boolean isAdded() {
        return GrowingCaches.MASK.name().equals(mask);
    }

    /** Returns the caches of a model as it was read; {@link #NONE} unless all its caches may have room. */
    public static CacheRoom of(Graph graph) {
        var search = new Search(graph);
        for (Node node : graph.nodes()) {
            if (isGroupQuery(node) && !search.add(node)) {
                return NONE;
            }
        }
        Value mask = search.mask;
        return mask == null || !search.endsInLengths(mask)
                ? NONE
                : new CacheRoom(mask.name(), Map.copyOf(search.presents), true);
    }

    private static boolean isGroupQuery(Node node) {
        return node.op().domain().equals(OpId.MICROSOFT) && node.op().name().equals(OpName.GROUP_QUERY_ATTENTION);
    }

    /** The search through a graph. */
    private static final class Search {
        private final Graph graph;
        private final Map<String, String> presents = new HashMap<>();
        private final Set<Value> ending = new HashSet<>();
        private @Nullable Value mask;

        Search(Graph graph) {
            this.graph = graph;
        }

        /** Adds the caches of an attention; false if they may have no room. */
        boolean add(Node node) {
            Value counted = counted(node.input(LAST_PLACES));
            boolean one = mask == null || mask == counted;
            mask = counted;
            return counted != null
                    && one
                    && node.input(BIAS) == null
                    && add(node, PAST_KEY, 1)
                    && add(node, PAST_VALUE, 2);
        }

        private boolean add(Node node, int input, int output) {
            Value past = node.input(input);
            Value present = node.output(output);
            int named = present == null ? -1 : graph.outputs().indexOf(present);
            if (past == null
                    || named < 0
                    || !graph.inputs().contains(past)
                    || past.users().size() != 1
                    || graph.outputs().contains(past)) {
                return false;
            }
            presents.put(past.name(), graph.outputNames().get(named));
            return true;
        }

        /** Returns the input of the graph whose sum a number of steps follows from; null if it follows from anything else. */
        private @Nullable Value counted(@Nullable Value steps) {
            boolean isSummed = false;
            Value at = steps;
            while (at != null && at.producer() != null) {
                Node node = at.producer();
                if (!node.op().domain().equals(OpId.ONNX)
                        || !OF_NUMBERS.contains(node.op().name())) {
                    return null;
                }
                for (int i = 1; i < node.inputs().size(); i++) {
                    Value other = node.input(i);
                    if (other != null && !isConstant(other)) {
                        return null;
                    }
                }
                isSummed |= node.is(OpName.REDUCE_SUM);
                at = node.input(0);
            }
            return isSummed && at != null && graph.inputs().contains(at) ? at : null;
        }

        private static boolean isConstant(Value value) {
            Node producer = value.producer();
            return value.isConstant() || producer != null && producer.is(OpName.CONSTANT);
        }

        /** Whether everything that is made of a value is a length or a total of an attention. */
        boolean endsInLengths(Value value) {
            if (graph.outputs().contains(value)) {
                return false;
            }
            for (Node user : value.users()) {
                if (!endsInLengths(user, value)) {
                    return false;
                }
            }
            return true;
        }

        private boolean endsInLengths(Node user, Value value) {
            if (user.graph() != graph) {
                return false;
            }
            if (isGroupQuery(user)) {
                for (int i = 0; i < user.inputs().size(); i++) {
                    if (user.input(i) == value && i != LAST_PLACES && i != TOTAL) {
                        return false;
                    }
                }
                return true;
            }
            for (Value made : user.outputs()) {
                if (made != null && ending.add(made) && !endsInLengths(made)) {
                    return false;
                }
            }
            return user.attributes().graphs().isEmpty();
        }
    }
}
