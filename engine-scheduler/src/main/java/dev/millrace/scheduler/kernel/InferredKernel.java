package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.ValueType;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kernel whose output types have been inferred for some inputs, and which can be bound to them. It carries what the
 * inference found out, so that binding does not find it out again.
 *
 * @param outputs the types of the outputs, as far as they follow from the inputs
 * @param binder binds the kernel to the same inputs
 */
public record InferredKernel(List<@Nullable ValueType> outputs, Function<BindContext, Launch> binder) {
    /** Binds the kernel, whose outputs must all have been inferred. It is bound once. */
    public Launch bind(BindContext context) {
        return binder.apply(context);
    }
}
