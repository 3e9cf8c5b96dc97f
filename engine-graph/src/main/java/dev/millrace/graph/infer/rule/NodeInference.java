package dev.millrace.graph.infer.rule;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.CustomOperator;
import dev.millrace.graph.op.TypeCheck;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** Infers the outputs of a node of a provider's own operator. Throws (INVALID_GRAPH) for what the operator refuses. */
    public static InferenceContext infer(Node node, NodeFacts facts, CustomOperator operator) {
        var context = new InferenceContext(node, facts, 0);
        var inputs = new ArrayList<@Nullable ValueType>();
        for (int i = 0; i < node.inputs().size(); i++) {
            inputs.add(context.type(i));
        }
        TypeCheck types = TypeCheck.of(node, operator);
        try {
            refuse(types.inputs(inputs::get));
            List<@Nullable ValueType> outputs = operator.types().outputs(node, Collections.unmodifiableList(inputs));
            for (int i = 0; i < Math.min(outputs.size(), node.outputs().size()); i++) {
                context.set(i, outputs.get(i));
            }
            refuse(types.outputs(context::output));
        } catch (RuntimeException | LinkageError e) {
            throw EngineException.wrap(Status.INVALID_GRAPH, node.describe(), ForeignFailure.neutral(e));
        }
        return context;
    }

    private static void refuse(List<String> errors) {
        if (!errors.isEmpty()) {
            throw EngineException.invalidGraph(String.join("; ", errors));
        }
    }
}
