package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random expressions over random lengths, each element within the bounds of the steps that made it. */
final class ElementwiseCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final int EXPRESSIONS = 48;
    private static final int DEPTH = 4;
    private static final Operator[] OPERATORS = {Operator.ADD, Operator.SUB, Operator.MUL, Operator.MAX, Operator.MIN};
    private static final FloatFunction[] FUNCTIONS = {
        FloatFunction.NEGATE,
        FloatFunction.ABS,
        FloatFunction.RELU,
        FloatFunction.FLOOR,
        FloatFunction.CEIL,
        FloatFunction.ROUND,
        FloatFunction.TRUNCATE,
        FloatFunction.ERF,
        FloatFunction.TANH,
        FloatFunction.SIGMOID
    };

    @Override
    public String name() {
        return "elementwise";
    }

    private static Expr leaf(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Expr.number(random.nextInt(9) / 2f - 2);
            case 1 -> Expr.single(3);
            case 2 -> Expr.input(0).apply(FloatFunction.EXP);
            default -> Expr.input(random.nextInt(3));
        };
    }

    private static Expr expression(Random random, int depth) {
        if (depth == 0 || random.nextInt(8) == 0) {
            return leaf(random);
        }
        return switch (random.nextInt(8)) {
            case 0, 1 -> expression(random, depth - 1).apply(FUNCTIONS[random.nextInt(FUNCTIONS.length)]);
            case 2 -> Expr.gelu(expression(random, depth - 1));
            default ->
                new Expr.Combine(
                        OPERATORS[random.nextInt(OPERATORS.length)],
                        expression(random, depth - 1),
                        expression(random, depth - 1));
        };
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        Expr expression = expression(new Random(random.nextInt(EXPRESSIONS)), DEPTH);
        int count = random.nextInt(!small && random.nextInt(20) == 0 ? 20_000 : 70);
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        List<MemorySegment> inputs = new ArrayList<>();
        for (int i = 0; i < Expr.MAX_INPUTS; i++) {
            inputs.add(memory.random(i == 3 ? 1 : count, random));
        }
        boolean inPlace = random.nextInt(4) == 0;
        MemorySegment out = inPlace ? memory.floats(count).copyFrom(inputs.get(1)) : memory.floats(count);
        List<MemorySegment> all = new ArrayList<>(inputs);
        if (inPlace) {
            all.set(1, out);
        }
        NonTemporalStores streaming = random.nextBoolean() ? NonTemporalStores.USUAL : new NonTemporalStores(0);
        new Elementwise(kernels, expression, DataType.F32, streaming).run(all, out, count, parallel);
        for (int i = 0; i < count; i++) {
            double[] values = new double[Expr.MAX_INPUTS];
            for (int j = 0; j < values.length; j++) {
                values[j] = inputs.get(j).getAtIndex(FLOAT, j == 3 ? 0 : i);
            }
            Interval allowed = Interval.of(expression, values);
            float got = out.getAtIndex(FLOAT, i);
            int at = i;
            assertTrue(
                    allowed.contains(got),
                    () -> got + " is not in " + allowed + ": element " + at + " of " + count + " of " + expression);
        }
        assertEquals(4L * count, out.byteSize());
    }
}
