package dev.millrace.graph.infer;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.rule.KnownContent;
import dev.millrace.graph.infer.rule.NodeFacts;
import dev.millrace.graph.infer.rule.NodeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.CustomOperators;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Type and shape inference. It is the one description of output types and shapes: symbolic when a model is read,
 * concrete when the shapes of a run are known.
 */
public final class TypeInference {
    private TypeInference() {}

    /**
     * Infers the types of a node's outputs from the facts about its inputs: as many as the node has outputs, null where
     * nothing is known. With concrete input shapes, and the values that the operator takes shapes from, they are
     * concrete, unless they depend on data. All are unknown for an operator that this engine does not know. Throws
     * (INVALID_GRAPH) for inputs and attributes that the operator refuses.
     */
    public static List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return NodeInference.infer(node, new OneNode(facts), 0, isUntyped(node)).result();
    }

    /**
     * Infers {@link #outputs} from the inputs of a run. The model's graph has passed the checks, so an error here comes
     * from the run's inputs and is an INVALID_ARGUMENT.
     */
    public static List<@Nullable ValueType> outputsOfRun(Node node, Facts facts) {
        try {
            return outputs(node, facts);
        } catch (EngineException e) {
            if (e.status() != Status.INVALID_GRAPH) {
                throw e;
            }
            throw new EngineException(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Infers every value of {@code graph}, which is a model's main graph, and of the graphs nested in it, and sets
     * their types. They follow from the inputs and the constants. The declared types of other values give their element
     * types where nothing else does; wrong declarations are dropped. Throws (INVALID_GRAPH) for what {@link #outputs}
     * refuses, and where an input's initializer contradicts the input's declared type; the graph is unchanged then.
     *
     * @return a sentence for each declaration that is wrong
     */
    public static List<String> infer(Graph graph) {
        return infer(graph, CustomOperators.NONE);
    }

    /** Infers a graph as {@link #infer(Graph)} does, nodes of other operators included. */
    public static List<String> infer(Graph graph, CustomOperators custom) {
        var walk = Walk.ofModel(true, custom);
        walk.main(graph);
        return walk.commit();
    }

    /** Infers a graph again that was inferred before. Returns whether anything new is known. */
    public static boolean refine(Graph graph) {
        var walk = Walk.ofModel(false, CustomOperators.NONE);
        walk.main(graph);
        walk.commit();
        return walk.foundMore();
    }

    /** The facts about one node as the rules ask for them. */
    private record OneNode(Facts facts) implements NodeFacts {
        @Override
        public @Nullable ValueType type(int input) {
            return facts.type(input);
        }

        @Override
        public @Nullable Tensor value(int input) {
            return facts.value(input);
        }

        @Override
        public @Nullable KnownContent content(int input) {
            return null;
        }

        @Override
        public List<@Nullable ValueType> body(Graph body, List<@Nullable ValueType> inputTypes, int depth) {
            return Walk.ofNested(facts).body(body, inputTypes, depth);
        }
    }

    /**
     * Whether the type of an input is unknown. The other nodes have passed the check against their schemas, since a
     * model's graph is checked once.
     */
    private static boolean isUntyped(Node node) {
        for (Value input : node.inputs()) {
            ValueType type = input == null ? null : input.type();
            boolean untyped = type == null || type instanceof ValueType.TensorType tensor && tensor.element() == null;
            if (input != null && untyped) {
                return true;
            }
        }
        return false;
    }
}
