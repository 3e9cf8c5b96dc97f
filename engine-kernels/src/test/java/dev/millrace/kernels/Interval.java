package dev.millrace.kernels;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import java.util.stream.DoubleStream;

/** The interval in which the value of an expression must lie if each of its steps keeps its bound. */
record Interval(double low, double high) {
    private static final double ROUNDING = 0.5;

    boolean contains(double value) {
        return low <= value && value <= high;
    }

    /** @param inputs the elements, by index, of inputs and single inputs alike */
    static Interval of(Expr expression, double... inputs) {
        return switch (expression) {
            case Expr.Input input -> new Interval(inputs[input.index()], inputs[input.index()]);
            case Expr.Single single -> new Interval(inputs[single.index()], inputs[single.index()]);
            case Expr.Literal literal -> {
                float value = Float.intBitsToFloat(literal.bits());
                yield new Interval(value, value);
            }
            case Expr.Apply apply -> apply(apply.function(), of(apply.argument(), inputs));
            case Expr.Combine(Operator operator, Expr left, Expr right) ->
                combine(operator, of(left, inputs), of(right, inputs));
            case Expr.Convert _, Expr.Choose _ ->
                throw new IllegalArgumentException("no bounds are known of " + expression);
        };
    }

    /**
     * Returns the interval of a function of an interval. Functions are monotonic, or have their only extremum at zero.
     */
    private static Interval apply(FloatFunction function, Interval x) {
        double low = Reference.of(function, x.low);
        double high = Reference.of(function, x.high);
        double turn = x.low < 0 && x.high > 0 ? Reference.of(function, 0) : low;
        return around(function.maxUlps(), low, high, turn);
    }

    private static Interval combine(Operator operator, Interval a, Interval b) {
        return around(
                ROUNDING,
                of(operator, a.low, b.low),
                of(operator, a.low, b.high),
                of(operator, a.high, b.low),
                of(operator, a.high, b.high));
    }

    private static Interval around(double ulps, double... values) {
        double low = DoubleStream.of(values).min().orElseThrow();
        double high = DoubleStream.of(values).max().orElseThrow();
        return new Interval(low - ulps * Math.ulp((float) low), high + ulps * Math.ulp((float) high));
    }

    private static double of(Operator operator, double a, double b) {
        return switch (operator) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            default -> throw new IllegalArgumentException("no bounds are known of " + operator);
        };
    }
}
