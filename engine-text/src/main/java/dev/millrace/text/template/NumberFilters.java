package dev.millrace.text.template;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The filters that make numbers. */
final class NumberFilters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("int", "default base", NumberFilters::integer)
            .add("float", "default", (value, a, _) -> real(value, a.get("default", 0.0)))
            .add("abs", "", (value, _, _) -> absolute(value))
            .add("round", "precision method", (value, a, _) -> round(value, a));

    private static final int LONGEST = 400;
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,4})?");

    private NumberFilters() {}

    private static Number number(@Nullable Object value) {
        Number number = TemplateNumbers.exact(value);
        if (number == null) {
            throw value instanceof Undefined undefined
                    ? undefined.failure()
                    : new Failure(Values.kind(value) + " stands where a number belongs");
        }
        return number;
    }

    private static @Nullable Object integer(@Nullable Object value, Arguments arguments, Steps steps) {
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        int base = Math.clamp(arguments.integer("base", 10), 2, 36);
        if (value instanceof String text && text.length() < LONGEST) {
            try {
                return Long.parseLong(digits(text, base), base);
            } catch (NumberFormatException e) {
                return truncated(real(value, null), arguments);
            }
        }
        return truncated(TemplateNumbers.exact(value), arguments);
    }

    private static String digits(String text, int base) {
        String plain = Strings.strip(text, null, true, true);
        String prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
        return !prefix.isEmpty() && Strings.lower(plain).startsWith(prefix) ? plain.substring(2) : plain;
    }

    private static @Nullable Object truncated(@Nullable Object number, Arguments arguments) {
        if (number instanceof Double real) {
            return Double.isFinite(real) ? (Object) whole(real) : arguments.get("default", 0L);
        }
        return number == null ? arguments.get("default", 0L) : number;
    }

    private static long whole(double number) {
        if (Math.abs(number) >= 0x1p63) {
            throw new Failure("the number is no integer of 64 bits");
        }
        return (long) number;
    }

    private static @Nullable Object real(@Nullable Object value, @Nullable Object otherwise) {
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        Number number = TemplateNumbers.exact(value);
        if (number != null) {
            return number.doubleValue();
        }
        if (!(value instanceof String text) || text.length() >= LONGEST) {
            return otherwise;
        }
        String plain = Strings.strip(text, null, true, true);
        return DECIMAL.matcher(plain).matches() ? (Object) Double.valueOf(plain) : otherwise;
    }

    private static Object absolute(@Nullable Object value) {
        Number number = number(value);
        return number instanceof Double real
                ? (Object) Math.abs(real)
                : (Object) (number.longValue() < 0 ? TemplateNumbers.apply("-", 0L, number) : number);
    }

    private static Object round(@Nullable Object value, Arguments arguments) {
        Number number = number(value);
        int precision = Math.clamp(arguments.integer("precision", 0), -400, 400);
        String method = arguments.text("method", "common");
        double real = number.doubleValue();
        return switch (method) {
            case "common" -> number instanceof Long integer ? rounded(integer, precision) : rounded(real, precision);
            case "ceil" -> Math.ceil(real * Math.pow(10, precision)) / Math.pow(10, precision);
            case "floor" -> Math.floor(real * Math.pow(10, precision)) / Math.pow(10, precision);
            default -> throw new Failure("'round' has no method '" + method + "'; there are common, ceil and floor");
        };
    }

    private static Object rounded(long number, int precision) {
        return precision >= 0
                ? number
                : BigDecimal.valueOf(number)
                        .setScale(precision, RoundingMode.HALF_EVEN)
                        .longValue();
    }

    private static Object rounded(double number, int precision) {
        return Double.isFinite(number)
                ? new BigDecimal(number)
                        .setScale(precision, RoundingMode.HALF_EVEN)
                        .doubleValue()
                : number;
    }
}
