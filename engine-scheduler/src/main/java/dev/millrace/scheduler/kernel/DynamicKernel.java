package dev.millrace.scheduler.kernel;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that sees its inputs before it knows its outputs: shapes that depend on data, sequences, optionals, control
 * flow. It allocates what it returns.
 */
@FunctionalInterface
public non-sealed interface DynamicKernel extends Kernel {
    void run(DynamicContext context);

    /**
     * Runs where the operator's rule takes the shapes of the inputs, which nobody has seen before. The bodies of control
     * flow check their own.
     */
    default void runChecked(DynamicContext context) {
        if (context.node().attributes().graphs().isEmpty()) {
            TypeInference.outputsOfRun(context.node(), new Facts() {
                @Override
                public @Nullable ValueType type(int input) {
                    return context.input(input) instanceof Tensor tensor
                            ? ValueType.tensor(tensor.type(), tensor.shape())
                            : null;
                }

                @Override
                public @Nullable Tensor value(int input) {
                    return null;
                }
            });
        }
        run(context);
    }
}
