package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** A function of two elements in each arithmetic domain that it is defined for. Comparisons give 1 or 0. */
public record Binary(
        @Nullable Floats floats,
        @Nullable Doubles doubles,
        @Nullable Longs longs) {

    /** {@code z[i] = f(x[i], y[i])} for the first {@code count} elements; arrays may be one. */
    @FunctionalInterface
    public interface Floats {
        void apply(float[] x, float[] y, float[] z, int count);
    }

    /** {@code z[i] = f(x[i], y[i])} for the first {@code count} elements; arrays may be one. */
    @FunctionalInterface
    public interface Doubles {
        void apply(double[] x, double[] y, double[] z, int count);
    }

    /** {@code z[i] = f(x[i], y[i])} for the first {@code count} elements; arrays may be one. */
    @FunctionalInterface
    public interface Longs {
        void apply(long[] x, long[] y, long[] z, int count);
    }

    static Binary of(DoubleBinaryOperator f) {
        return of(
                (x, y, z, n) -> {
                    for (int i = 0; i < n; i++) {
                        z[i] = (float) f.applyAsDouble(x[i], y[i]);
                    }
                },
                f);
    }

    static Binary of(Floats floats, DoubleBinaryOperator f) {
        return new Binary(floats, new DoublePairLoop(f), null);
    }

    Binary onLongs(LongBinaryOperator f) {
        return new Binary(floats, doubles, new LongPairLoop(f));
    }

    static Binary ofLongs(LongBinaryOperator f) {
        return new Binary(null, null, null).onLongs(f);
    }

    Floats requireFloats() {
        return require(floats, "32-bit floating");
    }

    Doubles requireDoubles() {
        return require(doubles, "double");
    }

    Longs requireLongs() {
        return require(longs, "integer");
    }

    private static <F> F require(@Nullable F function, String domain) {
        if (function == null) {
            throw EngineException.notImplemented("this operator is not defined on " + domain + " elements");
        }
        return function;
    }
}
