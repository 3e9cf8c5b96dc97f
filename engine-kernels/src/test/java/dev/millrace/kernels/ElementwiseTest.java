package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.Platform;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.EmulatedLowering;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ElementwiseTest {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** The step between tested floats, 8.4 million of all signs and exponents. */
    private static final int STRIDE = 509;

    private static final int INTERPRETED_STRIDE = 100_003;
    private static final int CHUNK = 1 << 16;

    private static Kernels at(String level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name));
    }

    /** Returns the distance in units of the last place of the float that the exact value rounds to. */
    private static double ulps(double exact, float got) {
        float rounded = (float) exact;
        if (Float.isNaN(rounded) || Float.isNaN(got) || Float.isInfinite(rounded) || Float.isInfinite(got)) {
            boolean overflows = Float.isInfinite(got) && Math.abs(exact) >= Float.MAX_VALUE;
            return Float.compare(rounded, got) == 0 || overflows ? 0 : Double.POSITIVE_INFINITY;
        }
        return Math.abs(got - exact) / Math.ulp(rounded);
    }

    /**
     * Returns the error in units of the last place or, where the function has an absolute bound, in fractions of that
     * bound.
     */
    private static double error(FloatFunction function, float x, float got) {
        double exact = Reference.of(function, x);
        boolean flushes = function == FloatFunction.EXP_OF_NEGATIVE || function == FloatFunction.SIGMOID;
        if (flushes && x < -87) {
            return Math.abs(exact - got) / Float.MIN_NORMAL * function.maxUlps();
        }
        if (function == FloatFunction.EXP2_OF_NEGATIVE && (x > 1 || x < -126)) {
            return x > 1 ? 0 : Math.abs(exact - got) / Float.MIN_NORMAL * function.maxUlps();
        }
        if (function == FloatFunction.EXP_OF_NEGATIVE && x > 0) {
            return 0;
        }
        return ulps(exact, got);
    }

    private static void sweep(String level, FloatFunction function, int stride) {
        try (Kernels kernels = at(level)) {
            sweep(kernels.level().toString(), kernels.elementwise(Expr.input(0).apply(function)), function, stride);
        }
    }

    private static void sweep(String name, Elementwise elementwise, FloatFunction function, int stride) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(4L * CHUNK, 64);
            MemorySegment out = arena.allocate(4L * CHUNK, 64);
            double worst = 0;
            float worstAt = 0;
            for (long bits = 0; bits < 1L << 32; bits += (long) stride * CHUNK) {
                for (int i = 0; i < CHUNK; i++) {
                    long pattern = Math.min(bits + (long) i * stride, (1L << 32) - 1);
                    in.setAtIndex(ValueLayout.JAVA_INT, i, (int) pattern);
                }
                elementwise.run(List.of(in), out, CHUNK, Parallel.NONE);
                for (int i = 0; i < CHUNK; i++) {
                    float x = in.getAtIndex(FLOAT, i);
                    double error = error(function, x, out.getAtIndex(FLOAT, i));
                    if (error > worst) {
                        worst = error;
                        worstAt = x;
                    }
                }
            }
            System.out.printf("%s at %s: %.3f ulp, at %s%n", function, name, worst, worstAt);
            assertTrue(worst <= function.maxUlps(), function + ": " + worst + " ulp at " + worstAt);
        }
    }

    @ParameterizedTest
    @EnumSource(FloatFunction.class)
    void functionsKeepTheirBoundOnEvery509thFloat(FloatFunction function) {
        sweep("avx512", function, STRIDE);
    }

    @ParameterizedTest
    @EnumSource(FloatFunction.class)
    void functionsKeepTheirBoundWhenInterpreted(FloatFunction function) {
        sweep("plain", function, INTERPRETED_STRIDE);
    }

    @ParameterizedTest
    @EnumSource(FloatFunction.class)
    void functionsKeepTheirBoundOnAvx512InTheEmulator(FloatFunction function) {
        KernelSet kernels = new KernelSet(new EmulatedLowering(), Families.ALL);
        Elementwise elementwise = new Elementwise(kernels, Expr.input(0).apply(function), DataType.F32);
        sweep("AVX512, emulated", elementwise, function, INTERPRETED_STRIDE);
    }

    /** The floats closest to multiples of a quarter turn, whose rests after range reduction are smallest. */
    @ParameterizedTest
    @CsvSource({
        "avx512, COS, 16367173, 72",
        "avx512, COS, 10741887, 11",
        "avx512, SIN, 16367173, 73",
        "avx512, TAN, 10741887, 12",
        "avx512, COS, 10057457, 62",
        "plain, COS, 16367173, 72",
        "vector_api, TAN, 16367173, 74"
    })
    void whatIsLeftOfAngles(String level, FloatFunction function, int mantissa, int exponent) {
        try (Kernels kernels = at(level);
                Arena arena = Arena.ofConfined()) {
            float angle = Math.scalb((float) mantissa, exponent);
            MemorySegment in = arena.allocateFrom(FLOAT, 1, angle, -angle);
            MemorySegment out = arena.allocate(12, 4);
            kernels.elementwise(Expr.input(0).apply(function)).run(List.of(in), out, 3, Parallel.NONE);
            for (int i = 0; i < 3; i++) {
                double error = error(function, in.getAtIndex(FLOAT, i), out.getAtIndex(FLOAT, i));
                assertTrue(error <= function.maxUlps(), error + " ulp");
            }
        }
    }

    @Test
    void maximumAndMinimumPassNaNOfEitherSide() {
        try (Kernels kernels = at("avx512");
                Arena arena = Arena.ofConfined()) {
            MemorySegment nan = arena.allocateFrom(ValueLayout.JAVA_FLOAT, Float.NaN);
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1);
            MemorySegment out = arena.allocate(4, 4);
            Expr a = Expr.input(0);
            Expr b = Expr.input(1);
            for (Expr expression : List.of(
                    a.max(b), a.min(b), b.max(Expr.number(0)), Expr.number(0).min(b))) {
                for (List<MemorySegment> inputs : List.of(List.of(nan, nan), List.of(one, nan))) {
                    kernels.elementwise(expression).run(inputs, out, 1, Parallel.NONE);
                    assertTrue(Float.isNaN(out.get(FLOAT, 0)), expression.toString());
                }
            }
            kernels.elementwise(a.max(b)).run(List.of(nan, one), out, 1, Parallel.NONE);
            assertTrue(Float.isNaN(out.get(FLOAT, 0)));
        }
    }

    @Test
    void operandsThatDoNotFitAreRefused() {
        try (Kernels kernels = at("avx512");
                Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(8, 4);
            Elementwise sum = kernels.elementwise(Expr.input(0).plus(Expr.input(1)));
            assertThrows(IndexOutOfBoundsException.class, () -> sum.run(List.of(two, two), two, 3, Parallel.NONE));
            assertThrows(IllegalArgumentException.class, () -> sum.run(List.of(two), two, 2, Parallel.NONE));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> sum.run(List.of(two, two), two.asReadOnly(), 2, Parallel.NONE));
        }
    }
}
