package dev.millrace.graph.optimise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.pass.TypeAgreement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the invariants of a graph and its nested graphs: every value is defined before it is read, producers and users
 * refer to each other, links and counts agree.
 */
public final class GraphCheck {
    private static final int FEW = 16;

    private final Set<Value> available = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Value, Integer> reads = new IdentityHashMap<>();
    /** The sets of inputs of nodes with many inputs. */
    private final Map<Node, Set<@Nullable Value>> inputsOf = new IdentityHashMap<>();

    private GraphCheck() {}

    /** Throws at the first invariant of a model's main graph that does not hold, with its place. */
    public static void check(Graph main) {
        new GraphCheck().walk(main);
    }

    private void walk(Graph graph) {
        var defined = new ArrayList<Value>(graph.inputs());
        for (Value input : graph.inputs()) {
            require(
                    input.producer() == null && !input.isConstant() && input.graph() == graph,
                    () -> "input '" + input.name() + "' of " + graph + " has another source");
        }
        for (Value constant : graph.constants()) {
            if (!constant.isConstant() || constant.producer() != null || constant.graph() != graph) {
                throw broken("constant '" + constant.name() + "' of " + graph + " has another source");
            }
        }
        defined.addAll(graph.constants());
        available.addAll(defined);
        int count = 0;
        Node previous = null;
        for (Node node : graph.nodes()) {
            if (node.graph() != graph || node.previous() != previous || node.isRemoved()) {
                throw broken(node.describe() + " is not linked as it should be");
            }
            checkNode(node, defined);
            previous = node;
            count++;
        }
        int walked = count;
        require(
                walked == graph.nodeCount() && graph.lastNode() == previous,
                () -> graph + " counts its nodes wrongly: " + walked + " are linked");
        for (Value output : graph.outputs()) {
            require(
                    available.contains(output) && output.isGraphOutput(),
                    () -> "output '" + output.name() + "' of " + graph + " has no source in scope");
        }
        // Values of this graph are out of scope after it, so all their readers have been seen.
        for (Value value : defined) {
            checkUsers(value);
            available.remove(value);
        }
    }

    private void checkUsers(Value value) {
        Integer known = reads.remove(value);
        int count = known == null ? 0 : known;
        if (value.users().size() != count) {
            throw broken("value '" + value.name() + "' is read " + count + " times, but knows "
                    + value.users().size() + " users");
        }
        for (Node user : value.users()) {
            if (user.isRemoved() || !reads(user, value)) {
                throw broken(
                        "value '" + value.name() + "' knows the user " + user.describe() + ", which does not read it");
            }
        }
    }

    private boolean reads(Node user, Value value) {
        return user.inputs().size() <= FEW
                ? user.inputs().contains(value)
                : inputsOf.computeIfAbsent(user, node -> new HashSet<>(node.inputs()))
                        .contains(value);
    }

    private void checkNode(Node node, List<Value> defined) {
        for (Value input : node.inputs()) {
            if (input != null) {
                if (!available.contains(input)) {
                    throw broken(node.describe() + " reads '" + input.name() + "', which is not there yet");
                }
                reads.merge(input, 1, Integer::sum);
            }
        }
        for (Graph nested : node.attributes().graphs()) {
            require(
                    nested.parent() == node.graph() && nested.owner() == node,
                    () -> node.describe() + " holds " + nested + ", which belongs elsewhere");
            walk(nested);
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null) {
                if (output.producer() != node
                        || output.outputIndex() != i
                        || output.graph() != node.graph()
                        || output.isConstant()) {
                    throw broken("output '" + output.name() + "' of " + node.describe() + " has another source");
                }
                if (!available.add(output)) {
                    throw broken("value '" + output.name() + "' has two sources");
                }
                defined.add(output);
            }
        }
    }

    /** The interface of a graph, on which its callers rely. */
    public record Interface(List<Value> inputs, List<String> outputNames, List<@Nullable ValueType> outputTypes) {
        public Interface {
            inputs = List.copyOf(inputs);
            outputNames = List.copyOf(outputNames);
            outputTypes = Collections.unmodifiableList(new ArrayList<>(outputTypes));
        }

        public static Interface of(Graph graph) {
            var types = new ArrayList<@Nullable ValueType>();
            for (Value output : graph.outputs()) {
                types.add(output.type());
            }
            return new Interface(graph.inputs(), graph.outputNames(), types);
        }

        /**
         * Throws where {@code graph} has other inputs or outputs, or an output of another type; a more precise type is
         * allowed.
         */
        public void requireKeptBy(Graph graph) {
            require(inputs.equals(graph.inputs()), () -> "the inputs of " + graph + " changed");
            require(outputNames.equals(graph.outputNames()), () -> "the outputs of " + graph + " changed");
            for (int i = 0; i < outputTypes.size(); i++) {
                String name = outputNames.get(i);
                String conflict = TypeAgreement.conflict(
                        outputTypes.get(i), graph.outputs().get(i).type());
                require(conflict == null, () -> "output '" + name + "' of " + graph + ": " + conflict);
            }
        }
    }

    private static EngineException broken(String how) {
        return EngineException.invalidGraph(how);
    }

    private static void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw EngineException.invalidGraph(otherwise.get());
        }
    }
}
