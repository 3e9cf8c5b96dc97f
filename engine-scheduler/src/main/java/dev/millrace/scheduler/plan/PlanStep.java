package dev.millrace.scheduler.plan;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.List;
import java.util.Map;

/**
 * One node of a plan. Slots are numbers of values in the plan; {@link #NONE} stands for an omitted one.
 *
 * @param stream the stream that launches it
 * @param nested the plans of the node's nested graphs by attribute
 */
public record PlanStep(
        int index,
        Node node,
        Kernel kernel,
        String provider,
        int stream,
        List<Integer> inputs,
        List<Integer> outputs,
        Map<String, NestedPlan> nested) {

    public static final int NONE = -1;

    public PlanStep {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        nested = Map.copyOf(nested);
    }

    /** Returns the same step on another stream. */
    PlanStep on(int other) {
        return new PlanStep(index, node, kernel, provider, other, inputs, outputs, nested);
    }

    /** Operator, name and provider as errors show them. */
    public String describe() {
        return node.describe() + " (" + provider + ")";
    }
}
