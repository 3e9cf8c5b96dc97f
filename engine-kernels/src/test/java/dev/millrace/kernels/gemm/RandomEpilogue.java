package dev.millrace.kernels.gemm;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.kernels.Reference;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random epilogue with its operands in guarded memory, and what it computes in double. */
final class RandomEpilogue {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float SCALE = 0.0625f;

    private final Random random;
    private final GuardedMemory memory;
    private final int m;
    private final int n;
    private final List<Matrix> operands = new ArrayList<>();
    private Epilogue epilogue = Epilogue.NONE;

    RandomEpilogue(Random random, GuardedMemory memory, int m, int n) {
        this.random = random;
        this.memory = memory;
        this.m = m;
        this.n = n;
        boolean bytes = random.nextInt(5) == 0;
        int count = random.nextInt(bytes ? 2 : Expr.MAX_INPUTS);
        for (int i = 0; i < count; i++) {
            EpilogueOperand operand = any(EpilogueOperand.values());
            epilogue = random.nextInt(4) == 0 ? epilogue.times(operand) : epilogue.plus(operand);
            add(operand);
            epilogue = random.nextInt(3) == 0 ? epilogue.then(any(Activation.values())::of) : epilogue;
        }
        epilogue = random.nextInt(3) == 0 ? epilogue.then(any(Activation.values())::of) : epilogue;
        epilogue = random.nextInt(8) == 0 ? epilogue.clip(-0.25f, 0.5f) : epilogue;
        if (bytes) {
            EpilogueOperand scale = any(EpilogueOperand.COLUMN, EpilogueOperand.ROW, EpilogueOperand.SINGLE);
            epilogue = epilogue.quantised(scale, EpilogueOperand.SINGLE, any(Output.U8, Output.S8));
            MemorySegment scales = add(scale);
            for (long i = 0; i < scales.byteSize(); i += 4) {
                scales.set(FLOAT, i, SCALE);
            }
            add(EpilogueOperand.SINGLE).set(FLOAT, 0, random.nextInt(20) - 10);
        }
    }

    @SafeVarargs
    private <T> T any(T... values) {
        return values[random.nextInt(values.length)];
    }

    private MemorySegment add(EpilogueOperand operand) {
        long stride = n + random.nextInt(3);
        long extent = switch (operand) {
            case COLUMN -> n;
            case ROW -> m;
            case SINGLE -> 1;
            case ELEMENT -> (m - 1) * stride + n;
        };
        operands.add(Matrix.rows(memory.random(extent, random), operand == EpilogueOperand.ELEMENT ? stride : 0));
        return operands.getLast().memory();
    }

    Epilogue epilogue() {
        return epilogue;
    }

    Output output() {
        return epilogue.output();
    }

    Matrix[] operands() {
        return operands.toArray(Matrix[]::new);
    }

    /** The result for a sum. */
    double of(double sum, int row, int column) {
        double[] inputs = new double[operands.size() + 1];
        inputs[0] = sum;
        for (int i = 0; i < operands.size(); i++) {
            Matrix operand = operands.get(i);
            long at = switch (epilogue.operands().get(i)) {
                case COLUMN -> column;
                case ROW -> row;
                case SINGLE -> 0;
                case ELEMENT -> row * operand.stride() + column;
            };
            inputs[i + 1] = operand.memory().get(FLOAT, 4 * at);
        }
        double value = value(epilogue.expression(), inputs);
        return switch (output()) {
            case F32 -> value;
            case U8 -> Math.clamp(Math.rint(value), 0, 255);
            case S8 -> Math.clamp(Math.rint(value), -128, 127);
        };
    }

    private static double value(Expr expression, double[] inputs) {
        if (expression instanceof Expr.Input input) {
            return inputs[input.index()];
        }
        if (expression instanceof Expr.Literal literal) {
            return Float.intBitsToFloat(literal.bits());
        }
        if (expression instanceof Expr.Apply apply) {
            return Reference.of(apply.function(), value(apply.argument(), inputs));
        }
        if (expression instanceof Expr.Combine combine) {
            double a = value(combine.left(), inputs);
            double b = value(combine.right(), inputs);
            return switch (combine.operator()) {
                case ADD -> a + b;
                case SUB -> a - b;
                case MUL -> a * b;
                case DIV -> a / b;
                case MAX -> Math.max(a, b);
                case MIN -> Math.min(a, b);
                default -> throw new IllegalArgumentException(combine.operator().name());
            };
        }
        throw new AssertionError(expression);
    }
}
