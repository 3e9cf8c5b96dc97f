package dev.millrace.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** All operations over expressions whose values are exact, against sums in double. */
public final class ExpressionReductionCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private interface Exact {
        double of(double x, double y, double single);
    }

    private record Values(Expr expression, Exact exact) {}

    private static final Expr X = Expr.input(0);
    private static final Expr Y = Expr.input(1);
    private static final Expr SINGLE = Expr.single(2);
    private static final List<Values> VALUES = List.of(
            new Values(X.minus(Y).times(SINGLE), (x, y, single) -> (x - y) * single),
            new Values(X.max(Y.plus(SINGLE)), (x, y, single) -> Math.max(x, y + single)),
            new Values(
                    X.plus(Y).apply(FloatFunction.ABS).plus(SINGLE).apply(FloatFunction.FLOOR),
                    (x, y, single) -> Math.floor(Math.abs(x + y) + single)),
            new Values(Y.plus(Expr.number(1)), (x, y, single) -> y + 1));

    @Override
    public String name() {
        return "reduce expressions";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ReduceOp[] ops = ReduceOp.values();
        ReduceOp op = ops[random.nextInt(ops.length - 1)];
        boolean signed = op != ReduceOp.LOG_SUM;
        Values values = signed ? VALUES.get(random.nextInt(VALUES.size())) : VALUES.getLast();
        int rows = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(random.nextBoolean() ? 3 : 20);
        boolean large = !small && random.nextInt(12) == 0;
        int columns = op == ReduceOp.PROD ? random.nextInt(12) : random.nextInt(large ? 30_000 / (rows + 1) : 90);
        List<MemorySegment> inputs = List.of(
                eighths(memory, rows * columns, random, signed),
                eighths(memory, rows * columns, random, signed),
                eighths(memory, 1, random, signed));
        var reduction = new ExpressionReduction(kernels, values.expression(), op, DataType.F32, rows, columns);
        MemorySegment out = memory.floats(rows);
        MemorySegment scratch = memory.bytes(reduction.scratchBytes());
        Parallel parallel = random.nextInt(3) == 0 ? TestThreads.of(3) : Parallel.NONE;
        reduction.run(new ArrayList<>(inputs), out, scratch, parallel);
        var reference = new ReductionReference(op, NumberType.F32, rows);
        double single = inputs.get(2).getAtIndex(FLOAT, 0);
        for (int i = 0; i < rows * columns; i++) {
            double x = inputs.get(0).getAtIndex(FLOAT, i);
            double y = inputs.get(1).getAtIndex(FLOAT, i);
            reference.add(i / columns, values.exact().of(x, y, single));
        }
        for (int i = 0; i < rows; i++) {
            float got = out.getAtIndex(FLOAT, i);
            double wanted = reference.result(i);
            String text = op + " of " + values.expression() + ", row " + i + " of " + rows + "x" + columns;
            if (Double.isNaN(wanted) || Double.isInfinite(wanted)) {
                assertEquals(wanted, got, text);
            } else {
                assertTrue(Math.abs(got - wanted) <= reference.bound(i), got + " is not " + wanted + ": " + text);
            }
        }
    }

    /** Numbers of which sums and products of a few are exact. */
    private static MemorySegment eighths(GuardedMemory memory, int count, Random random, boolean signed) {
        MemorySegment segment = memory.floats(count);
        for (int i = 0; i < count; i++) {
            segment.setAtIndex(FLOAT, i, random.nextInt(64) / 8f - (signed ? 4 : 0));
        }
        return segment;
    }
}
