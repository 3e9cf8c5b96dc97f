package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a pass may ask beside the graph itself. Types are the values' own; a node carries its opset. */
public final class PassContext {
    private final String pass;
    private final ConstantEvaluator evaluator;
    private final FoldBudget budget;
    private final MadeConstants constants;

    public PassContext(String pass, ConstantEvaluator evaluator, FoldBudget budget, MadeConstants constants) {
        this.pass = pass;
        this.evaluator = evaluator;
        this.budget = budget;
        this.constants = constants;
    }

    /** A patch by the running pass, whose additions stand right before {@code anchor}. */
    public Patch.Builder patch(Node anchor, String reason) {
        return new Patch.Builder(pass, reason, anchor.graph(), anchor);
    }

    /** A patch by the running pass that adds no nodes to {@code graph}. */
    public Patch.Builder patch(Graph graph, String reason) {
        return new Patch.Builder(pass, reason, graph, null);
    }

    /** The most bytes that a folded constant may take where it is larger than what it is made of. */
    public long foldLimitBytes() {
        return budget.limitBytes();
    }

    /** Whether folding may add so many bytes to the model, less what it makes superfluous. */
    public boolean mayAdd(long bytes) {
        return budget.allows(bytes);
    }

    /** Counts bytes that folding has added, negative ones where it freed more. */
    public void added(long bytes) {
        budget.take(bytes);
    }

    /** Whether nothing that is known of {@code value} contradicts its being {@code tensor}. */
    public boolean canHold(Value value, Tensor tensor) {
        return Types.conflict(value.type(), ValueType.tensor(tensor.type(), tensor.shape())) == null;
    }

    /**
     * A constant that the pass has just allocated, and of which it keeps nothing: where the graph loses it again, its memory
     * goes back.
     */
    public Tensor own(Tensor fresh) {
        constants.allocated(fresh);
        return fresh;
    }

    /** The outputs of a node whose inputs are constants or omitted; null where an input is not, or it cannot be run. */
    public @Nullable List<Tensor> evaluate(Node node) {
        var inputs = new ArrayList<@Nullable Tensor>();
        for (Value input : node.inputs()) {
            Tensor constant = input == null ? null : input.constant();
            if (input != null && constant == null) {
                return null;
            }
            inputs.add(constant);
        }
        try {
            List<Tensor> results = evaluator.evaluate(node, inputs);
            if (results != null) {
                results.forEach(constants::evaluated);
            }
            return results;
        } catch (EngineException unable) {
            // The node may never be reached; if it is, running it reports the same.
            return null;
        }
    }
}
