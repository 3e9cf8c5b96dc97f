package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A function of one element in each arithmetic domain that it is defined for. The loop is inside, so that each is
 * compiled for itself.
 *
 * @param unsigned of numbers of 64 bits without a sign, where that is another function than with one
 */
public record Unary(
        @Nullable Floats floats,
        @Nullable Doubles doubles,
        @Nullable Longs longs,
        @Nullable Longs unsigned) {

    /** {@code to[i] = f(from[i])} for the first {@code count} elements; both may be one array. */
    @FunctionalInterface
    public interface Floats {
        void apply(float[] from, float[] to, int count);
    }

    /** {@code to[i] = f(from[i])} for the first {@code count} elements; both may be one array. */
    @FunctionalInterface
    public interface Doubles {
        void apply(double[] from, double[] to, int count);
    }

    /** {@code to[i] = f(from[i])} for the first {@code count} elements; both may be one array. */
    @FunctionalInterface
    public interface Longs {
        void apply(long[] from, long[] to, int count);
    }

    /** A function of floating elements, computed in double and rounded once. */
    static Unary of(DoubleUnaryOperator f) {
        return of(
                (x, y, n) -> {
                    for (int i = 0; i < n; i++) {
                        y[i] = (float) f.applyAsDouble(x[i]);
                    }
                },
                f);
    }

    /** A function of floating elements with a loop of its own for float. */
    static Unary of(Floats floats, DoubleUnaryOperator f) {
        return new Unary(floats, new DoubleLoop(f), null, null);
    }

    /** This function, which on integers is {@code f}. */
    Unary onLongs(LongUnaryOperator f) {
        return new Unary(floats, doubles, new LongLoop(f), unsigned);
    }

    /** This function, which on numbers of 64 bits without a sign is {@code f}. */
    Unary onUnsigned(LongUnaryOperator f) {
        return new Unary(floats, doubles, longs, new LongLoop(f));
    }

    /** A function of integers only. */
    static Unary ofLongs(LongUnaryOperator f) {
        return new Unary(null, null, new LongLoop(f), null);
    }

    public Floats requireFloats() {
        return require(floats, "32-bit floating");
    }

    public Doubles requireDoubles() {
        return require(doubles, "double");
    }

    Longs requireLongs(ElementType type) {
        return type == ElementType.UINT64 && unsigned != null ? unsigned : require(longs, "integer");
    }

    private static <F> F require(@Nullable F function, String domain) {
        if (function == null) {
            throw EngineException.notImplemented("this operator is not defined on " + domain + " elements");
        }
        return function;
    }
}
