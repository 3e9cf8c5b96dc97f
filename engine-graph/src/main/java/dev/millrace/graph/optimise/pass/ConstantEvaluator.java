package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes a node whose inputs are known. The optimiser has no kernels; whoever runs it brings them. */
@FunctionalInterface
public interface ConstantEvaluator {
    /** Evaluates nothing. */
    ConstantEvaluator NONE = (node, inputs) -> null;

    /**
     * The outputs of {@code node}, as many as it has, for these inputs (null where omitted); null where it cannot be
     * computed. The tensors are the optimiser's from then on.
     */
    @Nullable
    List<Tensor> evaluate(Node node, List<@Nullable Tensor> inputs);

    /**
     * Whether the memory of a tensor that {@link #evaluate} gave is the optimiser's alone: it may be emptied then, and is
     * given to nobody from here on.
     */
    default boolean takeBack(Tensor tensor) {
        return false;
    }
}
