package dev.millrace.providers.simd.rule.quant;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.lowp.QuantisedOutput;
import org.jspecify.annotations.Nullable;

/** A quantisation of floats to bytes. */
record Requantised(float scale, int zero, QuantisedOutput output) {
    private static final Expr FLOATS = Expr.input(0);

    /**
     * Returns the quantisation that an expression over floats, input 0, computes. A preceding clip is dropped where the
     * saturation of bytes implies it.
     *
     * @return null where it does something else
     */
    static @Nullable Requantised of(Expr expression) {
        if (expression instanceof Expr.Combine(Operator max, Expr.Convert(Kind kind, Expr limit), Expr.Literal least)
                && max == Operator.MAX
                && kind == Kind.INT
                && limit instanceof Expr.Combine(Operator min, Expr shifted, Expr.Literal most)
                && min == Operator.MIN
                && shifted instanceof Expr.Combine(Operator plus, Expr rounded, Expr.Literal zero)
                && plus == Operator.ADD
                && rounded instanceof Expr.Apply(FloatFunction round, Expr quotient)
                && round == FloatFunction.ROUND
                && quotient instanceof Expr.Combine(Operator over, Expr limited, Expr.Literal scale)
                && over == Operator.DIV) {
            QuantisedOutput output = least.bits() == 0 && number(most) == 255
                    ? QuantisedOutput.U8
                    : least.bits() == -128 && number(most) == 127 ? QuantisedOutput.S8 : null;
            if (output != null) {
                var found = new Requantised(number(scale), (int) number(zero), output);
                return ScaledSums.areDivisors(found.scale) && found.saturatesAtLimits(limited) ? found : null;
            }
        }
        return null;
    }

    private boolean saturatesAtLimits(Expr limited) {
        if (limited.equals(FLOATS)) {
            return true;
        }
        Range range = Range.of(limited);
        return range != null
                && range.of().equals(FLOATS)
                && Math.rint(range.least() / scale) + zero <= output.least()
                && Math.rint(range.most() / scale) + zero >= output.most();
    }

    private static float number(Expr.Literal literal) {
        return Float.intBitsToFloat(literal.bits());
    }

    /** An expression clipped to two limits. */
    private record Range(Expr of, float least, float most) {
        static @Nullable Range of(Expr expression) {
            return switch (expression) {
                case Expr.Apply(FloatFunction function, Expr x)
                when function == FloatFunction.RELU -> new Range(x, 0, Float.POSITIVE_INFINITY);
                case Expr.Combine(Operator min, Expr.Combine(Operator max, Expr x, Expr.Literal low), Expr.Literal high)
                when min == Operator.MIN && max == Operator.MAX -> new Range(x, number(low), number(high));
                case Expr.Combine(Operator max, Expr x, Expr.Literal least)
                when max == Operator.MAX -> new Range(x, number(least), Float.POSITIVE_INFINITY);
                default -> null;
            };
        }
    }
}
