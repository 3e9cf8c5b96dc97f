package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/** Conditions on what is only known in a run. */
public final class RunChecks {
    private RunChecks() {}

    /** Lets a run fail where any of these ints, of which there is one at least, is smaller. */
    public static void addAtLeast(LoweringContext op, ValueState ints, long least, String failure) {
        add(op, ReduceOp.MIN, ints, smallest -> smallest >= least, failure);
    }

    /** Lets a run fail where any of these ints, of which there is one at least, is larger. */
    public static void addAtMost(LoweringContext op, ValueState ints, long most, String failure) {
        add(op, ReduceOp.MAX, ints, largest -> largest <= most, failure);
    }

    private static void add(
            LoweringContext op, ReduceOp extreme, ValueState ints, LongPredicate condition, String failure) {
        ValueState found = op.lowering().part(op.out(), ints.type(), Shape.SCALAR);
        int[] axes = IntStream.range(0, ints.shape().rank()).toArray();
        Reductions.add(op, extreme, ints, found, axes);
        View view = op.lowering().view(found);
        boolean wide = ints.type() == ElementType.INT64;
        op.lowering()
                .add(ProgramStep.of("check", op.node().name()).reading(view).calling(memory -> {
                    MemorySegment number = memory.segment(view);
                    return crew -> {
                        long is = wide ? number.get(ValueLayout.JAVA_LONG, 0) : number.get(ValueLayout.JAVA_INT, 0);
                        if (!condition.test(is)) {
                            throw EngineException.invalidArgument(failure);
                        }
                    };
                }));
    }
}
