package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import java.util.Objects;

/** Views of existing memory as values of their own, on the way to an output. */
public final class OutputViews {
    private OutputViews() {}

    public static ValueState of(PartitionCompiler lowering, ValueState output, View view) {
        ValueState part = lowering.part(output, view.type(), view.shape());
        lowering.provide(part, view);
        return part;
    }

    /** Returns the elements of a view with another shape; copied where strides cannot express it. */
    public static ValueState of(PartitionCompiler lowering, ValueState output, View view, Shape shape) {
        View reshaped = view.reshaped(shape);
        if (reshaped == null) {
            View copy = lowering.allocate(view.type(), view.shape());
            lowering.copy(view, copy, output.name());
            reshaped = Objects.requireNonNull(copy.reshaped(shape));
        }
        return of(lowering, output, reshaped);
    }
}
