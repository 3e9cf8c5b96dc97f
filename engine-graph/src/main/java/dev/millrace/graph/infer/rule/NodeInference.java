package dev.millrace.graph.infer.rule;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.TypeCheck;
import java.util.List;

/** Inference of one node: its rule, between the checks of its attributes and of the types of its operands. */
public final class NodeInference {
    private NodeInference() {}

    /**
     * Infers the outputs of {@code node}, inside {@code depth} graphs. Throws (INVALID_GRAPH) for inputs and attributes
     * that the operator refuses; types are compared with its schema if {@code checksTypes}.
     */
    public static InferenceContext infer(Node node, NodeFacts facts, int depth, boolean checksTypes) {
        var context = new InferenceContext(node, facts, depth);
        TypeCheck types = checksTypes ? TypeCheck.of(node) : null;
        try {
            EnumAttributes.check(context);
            if (types != null) {
                refuse(types.inputs(context::type));
            }
            InferenceRules.apply(context);
            if (types != null) {
                refuse(types.outputs(context::output));
            }
        } catch (EngineException e) {
            throw new EngineException(Status.INVALID_GRAPH, node.describe() + ": " + e.getMessage(), e);
        } catch (ArithmeticException e) {
            throw new EngineException(
                    Status.INVALID_GRAPH, node.describe() + ": an extent is too large: " + e.getMessage(), e);
        }
        return context;
    }

    private static void refuse(List<String> errors) {
        if (!errors.isEmpty()) {
            throw EngineException.invalidGraph(String.join("; ", errors));
        }
    }
}
