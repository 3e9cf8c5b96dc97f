package dev.millrace.kernels.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class FormulasTest {
    private static final Expr X = Expr.input(0);
    private static final int COUNT = 2001;

    private static void check(Expr expression, DoubleUnaryOperator expected) {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(4 * COUNT, 4);
            MemorySegment out = arena.allocate(4 * COUNT, 4);
            for (int i = 0; i < COUNT; i++) {
                TypedMemory.set(DataType.F32, in, i, i == 0 ? Double.NaN : (i - 1000) / 32.0);
            }
            kernels.elementwise(expression.to(Kind.FLOAT)).run(List.of(in), out, COUNT, Parallel.NONE);
            for (int i = 0; i < COUNT; i++) {
                double x = TypedMemory.get(DataType.F32, in, i);
                double wanted = expected.applyAsDouble(x);
                double got = TypedMemory.get(DataType.F32, out, i);
                double bound = Double.isNaN(wanted) ? 0 : 2e-6 * Math.max(1, Math.abs(wanted));
                assertEquals(wanted, got, bound, expression + " of " + x);
            }
        }
    }

    private static double truth(boolean value) {
        return value ? 1 : 0;
    }

    @Test
    void activationsAreWhatTheySay() {
        check(Formulas.softplus(X), x -> Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))));
        check(Formulas.softsign(X), x -> x / (1 + Math.abs(x)));
        check(Formulas.elu(X, 0.5f), x -> x > 0 ? x : 0.5 * Math.expm1(x));
        check(Formulas.hardSigmoid(X, 0.2f, 0.5f), x -> Math.max(0, Math.min(1, 0.2f * x + 0.5)));
        check(Formulas.hardSwish(X), x -> x * Math.max(0, Math.min(1, x / 6 + 0.5)));
        check(Formulas.geluTanh(X), x -> x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x))));
        check(Formulas.leakyRelu(X, Expr.number(0.25f)), x -> x < 0 ? x / 4 : x);
        check(Formulas.thresholdedRelu(X, 1.5f), x -> x > 1.5 ? x : 0);
    }

    @Test
    void signsAndPredicatesAreWhatTheySay() {
        check(Formulas.clip(X, Expr.number(-3), Expr.number(4)), x -> Math.min(4, Math.max(-3, x)));
        check(Formulas.sign(X), Math::signum);
        check(Formulas.negate(X), x -> -x);
        check(Formulas.abs(X), Math::abs);
        check(Formulas.isNaN(X), x -> truth(Double.isNaN(x)));
        check(Formulas.not(Formulas.isNaN(X)), x -> truth(!Double.isNaN(x)));
        Expr reciprocal = X.apply(FloatFunction.RECIPROCAL);
        check(Formulas.isInfinite(reciprocal, true, false), x -> truth(x == 0));
        check(Formulas.isInfinite(reciprocal, false, true), x -> 0);
    }

    @Test
    void formulasOfIntsAreJavas() {
        Expr number = X.times(Expr.number(32)).to(Kind.INT);
        check(Formulas.modulo(number, Expr.integer(7)), x -> Math.floorMod(whole(x), 7));
        check(Formulas.modulo(number, Expr.integer(-7)), x -> Math.floorMod(whole(x), -7));
        check(Formulas.sign(number), x -> Integer.signum(whole(x)));
        check(Formulas.abs(number), x -> Math.abs(whole(x)));
        check(Formulas.not(number), x -> ~whole(x));
    }

    @Test
    void shiftsAreJavasWithinAnInt() {
        Expr number = X.times(Expr.number(32)).to(Kind.INT);
        Expr positive = number.max(Expr.integer(0)).times(Expr.integer(16777));
        for (int by : new int[] {0, 1, 3, 8, 17, 31}) {
            check(Formulas.shiftLeft(number, Expr.integer(by)), x -> whole(x) << by);
            check(Formulas.shiftRight(positive, Expr.integer(by)), x -> 16777 * Math.max(0, whole(x)) >>> by);
        }
        check(Formulas.shiftLeft(Expr.integer(1), number), x -> isShift(whole(x)) ? 1 << whole(x) : 0);
        check(Formulas.shiftRight(Expr.integer(1 << 24), number), x -> isShift(whole(x)) ? 1 << 24 >>> whole(x) : 0);
    }

    private static boolean isShift(int by) {
        return by >= 0 && by < 32;
    }

    /** NaN becomes the least int. */
    private static int whole(double x) {
        return Double.isNaN(x) ? Integer.MIN_VALUE : (int) (32 * x);
    }
}
