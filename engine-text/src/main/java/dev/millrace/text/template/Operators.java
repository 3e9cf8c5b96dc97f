package dev.millrace.text.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Arithmetic operators on values. */
final class Operators {
    private Operators() {}

    static Object signed(boolean minus, @Nullable Object value) {
        Number number = TemplateNumbers.exact(value);
        if (number == null) {
            throw value instanceof Undefined undefined
                    ? undefined.failure()
                    : new Failure(Values.kind(value) + " has no sign");
        }
        return minus ? negated(number) : number;
    }

    private static Number negated(Number number) {
        return number instanceof Double real ? (Number) (-real) : TemplateNumbers.apply("-", 0L, number);
    }

    static Object apply(String operator, @Nullable Object a, @Nullable Object b, Steps steps) {
        Number x = TemplateNumbers.exact(a);
        Number y = TemplateNumbers.exact(b);
        if (x != null && y != null) {
            return TemplateNumbers.apply(operator, x, y);
        }
        Object made = made(operator, a, b, steps);
        if (made != null) {
            return made;
        }
        if (a instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (b instanceof Undefined undefined) {
            throw undefined.failure();
        }
        throw new Failure(operator + " does not fit " + Values.kind(a) + " and " + Values.kind(b));
    }

    /** Joins, repeats or formats; null if the operator does not do so with these values. */
    private static @Nullable Object made(String operator, @Nullable Object a, @Nullable Object b, Steps steps) {
        return switch (operator) {
            case "+" -> sum(a, b, steps);
            case "*" ->
                TemplateNumbers.exact(b) instanceof Long times
                        ? repeated(a, times, steps)
                        : TemplateNumbers.exact(a) instanceof Long times ? repeated(b, times, steps) : null;
            case "%" -> a instanceof String format ? PercentFormat.of(format, b, steps) : null;
            default -> null;
        };
    }

    private static @Nullable Object sum(@Nullable Object a, @Nullable Object b, Steps steps) {
        if (a instanceof String x && b instanceof String y) {
            steps.chars((long) x.length() + y.length());
            return x.concat(y);
        }
        if (a instanceof List<?> x && b instanceof List<?> y && a instanceof Tuple == b instanceof Tuple) {
            return Sequences.joined(x, y, steps);
        }
        return null;
    }

    private static @Nullable Object repeated(@Nullable Object value, long times, Steps steps) {
        return switch (value) {
            case String text -> Sequences.repeated(text, times, steps);
            case List<?> list -> Sequences.repeated(list, times, steps);
            case null, default -> null;
        };
    }
}
