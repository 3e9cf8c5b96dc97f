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

/** The services of the optimiser for a pass: building patches, evaluating constant nodes, and limits of folding. */
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

    /** Starts a patch of the running pass that adds nodes right before {@code anchor}. */
    public Patch.Builder patch(Node anchor, String reason) {
        return new Patch.Builder(pass, reason, anchor.graph(), anchor);
    }

    /** Starts a patch of the running pass that adds no nodes to {@code graph}. */
    public Patch.Builder patch(Graph graph, String reason) {
        return new Patch.Builder(pass, reason, graph, null);
    }

    /** The largest size in bytes of a folded constant that is larger than its inputs. */
    public long foldLimitBytes() {
        return budget.limitBytes();
    }

    /** Whether folding may add so many bytes to the model, net of the constants that it makes superfluous. */
    public boolean mayAdd(long bytes) {
        return budget.allows(bytes);
    }

    /** Subtracts bytes that folding has added from the budget; negative where it freed more. */
    public void added(long bytes) {
        budget.take(bytes);
    }

    /** Whether the type of {@code value} allows it to be {@code tensor}. */
    public boolean canHold(Value value, Tensor tensor) {
        return TypeAgreement.conflict(value.type(), ValueType.tensor(tensor.type(), tensor.shape())) == null;
    }

    /**
     * Records a constant that the pass has just allocated and keeps no reference to. Its memory is released once the
     * graph no longer holds it.
     */
    public Tensor own(Tensor fresh) {
        constants.allocated(fresh);
        return fresh;
    }

    /**
     * Evaluates a node whose inputs are constants or omitted; null where an input is neither, or the node cannot be
     * run.
     */
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
