package dev.millrace.scheduler.kernel;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kernel on tensors whose output shapes follow from its input shapes, and from the values that it requires. */
@FunctionalInterface
public non-sealed interface ShapedKernel extends Kernel {
    /**
     * Binds the kernel to shapes. The launch runs many times, in many frames at once.
     *
     * @throws PartsNeeded where some of the work has to be done before the rest can be bound
     */
    Launch bind(BindContext context);

    /**
     * Returns the types of the outputs. The default is the operator's inference rule; a compiled partition has its own.
     */
    default List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return TypeInference.outputsOfRun(node, facts);
    }

    /** Infers the types of the outputs, and returns the kernel with what binding it to the same inputs can use of that. */
    default InferredKernel infer(Node node, Facts facts) {
        return new InferredKernel(outputs(node, facts), this::bind);
    }

    /**
     * Returns the same work in parts, for inputs whose shapes and contents do not determine the output shapes; null
     * where the kernel has no parts.
     */
    default @Nullable Parts parts(Node node, Facts facts) {
        return null;
    }

    /** Whether equal inputs give equal outputs, so that a launch on known inputs may be done once for all runs. */
    default boolean isPure() {
        return true;
    }
}
