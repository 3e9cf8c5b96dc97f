package dev.millrace.text.template;

import java.math.BigDecimal;
import java.math.MathContext;
import org.jspecify.annotations.Nullable;

/** Arithmetic with Python's rules: integers, here of 64 bits, floats, and booleans as integers. */
final class TemplateNumbers {
    private TemplateNumbers() {}

    /** Returns a number as Long or Double, a boolean as Long, and null for other values. */
    static @Nullable Number exact(@Nullable Object value) {
        return switch (value) {
            case Long number -> number;
            case Double number -> number;
            case Boolean flag -> flag ? 1L : 0L;
            case null, default -> null;
        };
    }

    /** Computes a binary operation; null if it is not defined for the operator. */
    static Number apply(String operator, Number a, Number b) {
        try {
            return a instanceof Long x && b instanceof Long y
                    ? integers(operator, x, y)
                    : (Number) floats(operator, a.doubleValue(), b.doubleValue());
        } catch (ArithmeticException e) {
            throw new Failure("the result of " + operator + " is no integer of 64 bits");
        }
    }

    private static Number integers(String operator, long a, long b) {
        return switch (operator) {
            case "+" -> Math.addExact(a, b);
            case "-" -> Math.subtractExact(a, b);
            case "*" -> Math.multiplyExact(a, b);
            case "//" -> Math.floorDivExact(a, divisor(b));
            case "%" -> Math.floorMod(a, divisor(b));
            case "**" -> b < 0 ? (Number) floats(operator, a, b) : (Number) power(a, b);
            default -> floats(operator, a, b);
        };
    }

    private static long divisor(long number) {
        if (number == 0) {
            throw new Failure("division by zero");
        }
        return number;
    }

    /** Returns the power by squaring. */
    private static long power(long base, long exponent) {
        long result = 1;
        long square = base;
        for (long left = exponent; left > 0; left >>= 1) {
            if ((left & 1) != 0) {
                result = Math.multiplyExact(result, square);
            }
            if (left > 1) {
                square = Math.multiplyExact(square, square);
            }
        }
        return result;
    }

    private static double floats(String operator, double a, double b) {
        return switch (operator) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "/" -> a / divisor(b);
            case "//" -> Math.floor((a - remainder(a, b)) / b + 0.5);
            case "%" -> remainder(a, b);
            default -> floatPower(a, b);
        };
    }

    private static double divisor(double number) {
        if (number == 0) {
            throw new Failure("division by zero");
        }
        return number;
    }

    /** Returns the remainder with the sign of the divisor. */
    private static double remainder(double a, double b) {
        double remainder = a % divisor(b);
        return remainder != 0 && remainder < 0 != b < 0 ? remainder + b : remainder;
    }

    private static double floatPower(double a, double b) {
        if (a == 0 && b < 0) {
            throw new Failure("division by zero");
        }
        double power = Math.pow(a, b);
        if (Double.isNaN(power) && !Double.isNaN(a) && !Double.isNaN(b)) {
            throw new Failure("the power of a negative number with a fraction is no real number");
        }
        return power;
    }

    /** Compares two numbers exactly; NaN is the largest of all. */
    static int compare(Number a, Number b) {
        if (a instanceof Long x && b instanceof Long y) {
            return Long.compare(x, y);
        }
        double x = a.doubleValue();
        double y = b.doubleValue();
        if (a instanceof Double && b instanceof Double || !Double.isFinite(x) || !Double.isFinite(y)) {
            return x == y ? 0 : Double.compare(x, y);
        }
        return decimal(a).compareTo(decimal(b));
    }

    private static BigDecimal decimal(Number number) {
        return number instanceof Long integer ? BigDecimal.valueOf(integer) : new BigDecimal(number.doubleValue());
    }

    static boolean isNaN(Number number) {
        return number instanceof Double real && Double.isNaN(real);
    }

    private static BigDecimal shortest(double number) {
        // Java writes at least two digits
        BigDecimal digits = new BigDecimal(Double.toString(number)).stripTrailingZeros();
        BigDecimal one = digits.round(new MathContext(1));
        return digits.precision() == 2 && one.doubleValue() == number ? one.stripTrailingZeros() : digits;
    }

    /** Writes a float as Python does: the shortest digits that give it back. */
    static String text(double number) {
        if (Double.isNaN(number)) {
            return "nan";
        }
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        if (number == 0) {
            return 1 / number < 0 ? "-0.0" : "0.0";
        }
        BigDecimal shortest = shortest(number);
        String digits = shortest.unscaledValue().abs().toString();
        int exponent = digits.length() - shortest.scale() - 1;
        if (exponent >= -4 && exponent < 16) {
            return shortest.scale() > 0 ? shortest.toPlainString() : shortest.toPlainString() + ".0";
        }
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        String power = (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
        return (number < 0 ? "-" : "") + digits.charAt(0) + fraction + "e" + power;
    }
}
