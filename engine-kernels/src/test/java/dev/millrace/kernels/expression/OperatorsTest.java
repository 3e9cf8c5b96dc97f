package dev.millrace.kernels.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.codegen.code.KernelLevel;
import dev.millrace.codegen.code.Platform;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators and conversions against Java's, on edges and at random. */
class OperatorsTest {
    private static final int COUNT = 2_000;
    private static final Expr A = Expr.input(0);
    private static final Expr B = Expr.input(1);
    private static final Expr M = Expr.input(0, DataType.S32);
    private static final Expr N = Expr.input(1, DataType.S32);
    private static final float[] EDGES = {
        0,
        -0f,
        1,
        -1,
        0.5f,
        -0.5f,
        2,
        -2,
        3,
        -3,
        2.5f,
        1e-45f,
        -1e-45f,
        1e-38f,
        1e38f,
        -1e38f,
        16777215,
        -16777217,
        Float.MAX_VALUE,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY
    };
    private static final int[] INT_EDGES = {
        0,
        1,
        -1,
        2,
        -2,
        3,
        7,
        255,
        65535,
        65536,
        -65537,
        16777217,
        0x3fffffff,
        0x40000001,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE - 1,
        Integer.MIN_VALUE,
        Integer.MIN_VALUE + 1
    };

    private static Kernels at(KernelLevel level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level.toString() : System.getProperty(name));
    }

    private record Both(MemorySegment a, MemorySegment b, MemorySegment out) {
        static Both of(DataType in, DataType out, Arena arena) {
            Random random = new Random(1);
            Both both = new Both(
                    arena.allocate((long) COUNT * in.bytes(), 4),
                    arena.allocate((long) COUNT * in.bytes(), 4),
                    arena.allocate((long) COUNT * out.bytes(), 4));
            int edges = in.kind() == Kind.FLOAT ? EDGES.length : INT_EDGES.length;
            for (int i = 0; i < COUNT; i++) {
                boolean edge = i < edges * edges;
                double a = edge ? edge(in, i / edges) : value(in, random);
                double b = edge ? edge(in, i % edges) : value(in, random);
                TypedMemory.set(in, both.a, i, a);
                TypedMemory.set(in, both.b, i, b);
            }
            return both;
        }

        private static double edge(DataType in, int index) {
            return in.kind() == Kind.FLOAT ? EDGES[index] : INT_EDGES[index];
        }

        private static double value(DataType in, Random random) {
            int bits = random.nextInt() >> random.nextInt(31);
            return in.kind() == Kind.FLOAT ? Float.intBitsToFloat(random.nextInt()) : bits;
        }
    }

    /** @param ulps how far off a result may be, in units of the last place */
    private static void check(
            Kernels kernels, Expr expression, DataType in, DataType out, double ulps, DoubleBinaryOperator expected) {
        try (Arena arena = Arena.ofConfined()) {
            Both both = Both.of(in, out, arena);
            new Elementwise(kernels.set(), expression, out)
                    .run(List.of(both.a, both.b), both.out, COUNT, Parallel.NONE);
            for (int i = 0; i < COUNT; i++) {
                double a = TypedMemory.get(in, both.a, i);
                double b = TypedMemory.get(in, both.b, i);
                double wanted = expected.applyAsDouble(a, b);
                float rounded = (float) wanted;
                double got = TypedMemory.get(out, both.out, i);
                if (out.kind() != Kind.FLOAT || Float.isInfinite(rounded) || Float.isNaN(rounded)) {
                    boolean overflow = Double.isInfinite(got) && Math.abs(wanted) >= Float.MAX_VALUE;
                    double exact = out.kind() == Kind.FLOAT ? rounded : TypedMemory.rounded(out, wanted);
                    assertEquals(exact, overflow ? exact : got, expression + " of " + a + " and " + b);
                } else {
                    assertEquals(wanted, got, ulps * Math.ulp(rounded), expression + " of " + a + " and " + b);
                }
            }
        }
    }

    private static void checkInts(Kernels kernels, Expr expression, DoubleBinaryOperator expected) {
        check(kernels, expression, DataType.S32, DataType.S32, 0, expected);
    }

    private static double truth(boolean value) {
        return value ? 1 : 0;
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void operatorsOfIntsAreJavas(KernelLevel level) {
        try (Kernels kernels = at(level)) {
            checkInts(kernels, M.plus(N), (a, b) -> (int) a + (int) b);
            checkInts(kernels, M.minus(N), (a, b) -> (int) a - (int) b);
            checkInts(kernels, M.times(N), (a, b) -> (int) a * (int) b);
            checkInts(kernels, M.max(N), Math::max);
            checkInts(kernels, M.min(N), Math::min);
            Expr one = Expr.integer(1);
            Expr divisor = N.combine(Operator.EQUAL, Expr.integer(0)).choose(one, N);
            checkInts(kernels, M.over(divisor), (a, b) -> (int) a / (b == 0 ? 1 : (int) b));
            Expr rest = M.combine(Operator.REMAINDER, divisor);
            checkInts(kernels, rest, (a, b) -> (int) a % (b == 0 ? 1 : (int) b));
            checkInts(kernels, M.combine(Operator.AND, N), (a, b) -> (int) a & (int) b);
            checkInts(kernels, M.combine(Operator.OR, N), (a, b) -> (int) a | (int) b);
            checkInts(kernels, M.combine(Operator.XOR, N), (a, b) -> (int) a ^ (int) b);
        }
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void comparisonsAreJavas(KernelLevel level) {
        try (Kernels kernels = at(level)) {
            for (DataType type : List.of(DataType.F32, DataType.S32)) {
                Expr a = Expr.input(0, type);
                Expr b = Expr.input(1, type);
                compare(kernels, type, a.combine(Operator.EQUAL, b), (x, y) -> truth(x == y));
                compare(kernels, type, a.combine(Operator.NOT_EQUAL, b), (x, y) -> truth(x != y));
                compare(kernels, type, a.combine(Operator.LESS, b), (x, y) -> truth(x < y));
                compare(kernels, type, a.combine(Operator.LESS_OR_EQUAL, b), (x, y) -> truth(x <= y));
                compare(kernels, type, a.combine(Operator.GREATER, b), (x, y) -> truth(x > y));
                compare(kernels, type, a.combine(Operator.GREATER_OR_EQUAL, b), (x, y) -> truth(x >= y));
                Expr either = a.combine(Operator.LESS, b).combine(Operator.OR, b.to(Kind.BOOL));
                compare(kernels, type, either, (x, y) -> truth(x < y || y != 0));
            }
        }
    }

    private static void compare(Kernels kernels, DataType in, Expr expression, DoubleBinaryOperator expected) {
        check(kernels, expression, in, DataType.BOOL, 0, expected);
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void remaindersOfFloatsAreExact(KernelLevel level) {
        try (Kernels kernels = at(level)) {
            check(kernels, A.combine(Operator.REMAINDER, B), DataType.F32, DataType.F32, 0, (a, b) -> {
                boolean far = Math.abs(a / b) > 0x1p60 && b != 0;
                return far ? remainderAsGiven(kernels, a, b) : a % b;
            });
        }
    }

    /** Beyond the bound anything goes. */
    private static double remainderAsGiven(Kernels kernels, double a, double b) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment x = arena.allocate(4, 4);
            MemorySegment y = arena.allocate(4, 4);
            TypedMemory.set(DataType.F32, x, 0, a);
            TypedMemory.set(DataType.F32, y, 0, b);
            kernels.elementwise(A.combine(Operator.REMAINDER, B)).run(List.of(x, y), x, 1, Parallel.NONE);
            return TypedMemory.get(DataType.F32, x, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void powersAreWithinTheirBound(KernelLevel level) {
        try (Kernels kernels = at(level)) {
            DoubleBinaryOperator pow = (a, b) -> a == 1 ? 1 : a == -1 && Double.isInfinite(b) ? 1 : Math.pow(a, b);
            check(kernels, A.combine(Operator.POWER, B), DataType.F32, DataType.F32, 2, pow);
        }
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void kindsThatDoNotFitAreRefused(KernelLevel level) {
        assertThrows(IllegalArgumentException.class, () -> A.plus(N), level.toString());
        assertThrows(IllegalArgumentException.class, () -> M.apply(FloatFunction.EXP));
        assertThrows(IllegalArgumentException.class, () -> M.choose(A, B));
        assertThrows(IllegalArgumentException.class, () -> A.combine(Operator.AND, B));
    }

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void floatsLoseTheirFraction(KernelLevel level) {
        try (Kernels kernels = at(level)) {
            check(kernels, A, DataType.F32, DataType.S32, 0, (a, b) -> fits(a) ? (int) a : Integer.MIN_VALUE);
            check(kernels, A, DataType.F32, DataType.BOOL, 0, (a, b) -> truth(a != 0));
            check(kernels, M, DataType.S32, DataType.F32, 0.5, (a, b) -> a);
            check(kernels, M, DataType.S32, DataType.BOOL, 0, (a, b) -> truth(a != 0));
        }
    }

    private static boolean fits(double a) {
        return a >= Integer.MIN_VALUE && a <= Integer.MAX_VALUE;
    }
}
