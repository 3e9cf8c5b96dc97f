package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.WideElementwise;
import dev.millrace.kernels.expression.WideFunction;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * The rules of functions of two tensors of 64-bit numbers, which expressions do not support: each is a step of its own.
 */
final class Int64Rules {
    /** The least elements of a result; fewer are shape arithmetic, which is known before a run. */
    private static final long LEAST = 512;

    private Int64Rules() {}

    /**
     * Returns a rule that applies this function where {@code rule} does not support the numbers, such as those of 64
     * bits.
     */
    static Rule or(Rule rule, WideFunction function) {
        return op -> rule.lower(op) || lower(op, function, 0, 1);
    }

    /** Returns a rule as {@link #or} does, for a function of the second input and the first. */
    static Rule orReversed(Rule rule, WideFunction function) {
        return op -> rule.lower(op) || lower(op, function, 1, 0);
    }

    private static boolean lower(LoweringContext op, WideFunction function, int first, int second) {
        if (op.opset() < ElementwiseRules.BROADCASTS_SINCE
                || op.inputs() != 2
                || op.out().elements() < LEAST) {
            return false;
        }
        ValueState left = op.in(first);
        ValueState right = op.in(second);
        NumberType type = DataTypes.number(left.type());
        ElementType out = function.isComparison() ? ElementType.BOOL : left.type();
        if (type == null
                || !function.takes(type)
                || right.type() != left.type()
                || op.out().type() != out) {
            return false;
        }
        View a = op.lowering().dense(left);
        View b = op.lowering().dense(right);
        View to = op.lowering().allocate(op.out());
        Shape shape = op.out().shape();
        var driver = new WideElementwise(
                op.environment().kernels(),
                function,
                type,
                list(shape.toArray()),
                List.of(strides(a, shape), strides(b, shape)));
        op.lowering()
                .add(ProgramStep.of(() -> driver.key().toString(), op.node().name())
                        .reading(a, b)
                        .writing(to)
                        .repeating()
                        .calling(memory -> {
                            MemorySegment ofA = memory.segment(a);
                            MemorySegment ofB = memory.segment(b);
                            MemorySegment results = memory.segment(to);
                            return crew -> driver.run(ofA, ofB, results, crew);
                        }));
        return true;
    }

    private static List<Long> strides(View view, Shape shape) {
        return list(view.broadcast(shape).strides());
    }

    private static List<Long> list(long[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }
}
