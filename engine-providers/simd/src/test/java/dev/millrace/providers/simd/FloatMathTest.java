package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class FloatMathTest {
    private interface Function {
        void apply(float[] a, float[] y, int n);
    }

    private record Case(String name, Function function, DoubleUnaryOperator exact) {}

    private static final List<Case> CASES = List.of(
            new Case("exp", (a, y, n) -> FloatMath.exp(a, 1f, y, n), Math::exp),
            new Case("sigmoid", FloatMath::sigmoid, x -> 1 / (1 + Math.exp(-x))),
            new Case("tanh", FloatMath::tanh, Math::tanh),
            new Case("erf", (a, y, n) -> FloatMath.erf(a, 1f, y, n), Reference::erf),
            new Case("softplus", FloatMath::softplus, Reference::softplus),
            new Case("log", FloatMath::log, Math::log));

    @TestFactory
    List<DynamicTest> errorIsWithin2e7AbsoluteOr4UnitsRelative() {
        return CASES.stream()
                .map(one -> DynamicTest.dynamicTest(one.name, () -> {
                    float[] a = arguments();
                    float[] y = new float[a.length];
                    one.function.apply(a, y, a.length);
                    for (int i = 0; i < a.length; i++) {
                        check(a[i], y[i], one.exact.applyAsDouble(a[i]));
                    }
                }))
                .toList();
    }

    private static void check(float x, float found, double exact) {
        if (Double.isNaN(exact)) {
            assertThat(found).as("of %s", x).isNaN();
        } else if (Float.isInfinite((float) exact)) {
            assertThat(found).as("of %s", x).isEqualTo((float) exact);
        } else {
            double error = Math.abs(found - exact);
            boolean close = error <= 2e-7 || error <= Math.abs(exact) * 4 * 0x1p-23;
            assertThat(close).as("of %s: %s is not %s", x, found, exact).isTrue();
        }
    }

    /** Every magnitude, both signs, dense where the functions bend, and the numbers that are none. */
    private static float[] arguments() {
        var list = new ArrayList<Float>();
        for (int bits = 0; bits < 0x7f800000; bits += 9973) {
            list.add(Float.intBitsToFloat(bits));
            list.add(-Float.intBitsToFloat(bits));
        }
        for (float x = -12; x < 12; x += 1 / 4096f) {
            list.add(x);
        }
        for (float x = -110; x < 95; x += 1 / 128f) {
            list.add(x);
        }
        list.addAll(List.of(
                0f,
                -0f,
                Float.NaN,
                Float.POSITIVE_INFINITY,
                Float.NEGATIVE_INFINITY,
                Float.MAX_VALUE,
                -Float.MAX_VALUE,
                Float.MIN_VALUE,
                88.72283f,
                88.72284f));
        float[] arguments = new float[list.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = list.get(i);
        }
        return arguments;
    }

    @Test
    void tanhAndErfStayWithinOne() {
        float[] a = arguments();
        float[] y = new float[a.length];
        FloatMath.tanh(a, y, a.length);
        for (float value : y) {
            assertThat(Math.abs(value) > 1).isFalse();
        }
        FloatMath.erf(a, 1f, y, a.length);
        for (float value : y) {
            assertThat(Math.abs(value) > 1).isFalse();
        }
    }

    @Test
    void geluAgreesWithBothDefinitionsOnOrdinaryArguments() {
        float[] a = new float[4001];
        for (int i = 0; i < a.length; i++) {
            a[i] = (i - 2000) / 200f;
        }
        float[] y = new float[a.length];
        FloatMath.gelu(a, y, a.length);
        for (int i = 0; i < a.length; i++) {
            double exact = 0.5 * a[i] * (1 + Reference.erf(a[i] / Math.sqrt(2)));
            assertThat((double) y[i]).isCloseTo(exact, within(2e-6));
        }
        FloatMath.geluTanh(a, y, a.length);
        for (int i = 0; i < a.length; i++) {
            assertThat((double) y[i]).isCloseTo(Reference.geluTanh(a[i]), within(2e-6));
        }
    }
}
