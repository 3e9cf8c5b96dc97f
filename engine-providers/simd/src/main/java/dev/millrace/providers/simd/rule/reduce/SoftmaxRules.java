package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.softmax.Softmax;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Softmax along an axis, and its logarithm. */
public final class SoftmaxRules {
    /** Before this opset a softmax ran over its axis and all behind it. */
    private static final int ONE_AXIS_SINCE = 13;

    private SoftmaxRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.SOFTMAX -> op -> lower(op, false);
            case OpName.LOG_SOFTMAX -> op -> lower(op, true);
            default -> null;
        };
    }

    /** The key of a driver. */
    private static boolean lower(LoweringContext op, boolean logarithm) {
        Shape shape = op.in(0).shape();
        if (!op.in(0).isFloat() || shape.rank() == 0) {
            return false;
        }
        boolean flat = op.opset() < ONE_AXIS_SINCE;
        long number = op.attributes().integer("axis", flat ? 1 : -1);
        int axis = flat && number == shape.rank() ? shape.rank() : Shape.axis(number, shape.rank());
        int end = flat ? shape.rank() : axis + 1;
        long outer = shape.elements(0, axis);
        long count = shape.elements(axis, end);
        long inner = shape.elements(end, shape.rank());
        View from = op.lowering().dense(op.in(0));
        View to = op.lowering().allocate(op.out());
        add(op, logarithm, from, to, outer, count, inner);
        return true;
    }

    /** Adds one of each lane of {@code count} elements, {@code inner} apart. */
    public static void add(
            LoweringContext op, boolean logarithm, View from, View to, long outer, long count, long inner) {
        Softmax softmax = op.environment()
                .driver(
                        List.of(Softmax.class, logarithm),
                        () -> logarithm
                                ? Softmax.logarithm(op.environment().kernels())
                                : Softmax.of(op.environment().kernels()));
        op.lowering()
                .add(ProgramStep.of(
                                logarithm ? "log softmax" : "softmax", op.node().name())
                        .reading(from)
                        .writing(to)
                        .repeating()
                        .calling(memory -> {
                            MemorySegment in = memory.segment(from);
                            MemorySegment out = memory.segment(to);
                            return crew -> softmax.run(in, out, outer, count, inner, crew);
                        }));
    }
}
