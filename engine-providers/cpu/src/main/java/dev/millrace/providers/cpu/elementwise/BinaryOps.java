package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** The table of functions of two elements, by the name of their operator. */
final class BinaryOps {
    private static final long FLIP = Long.MIN_VALUE;

    /** Up to here doubles have every whole number. */
    private static final double LAST_WHOLE = 0x1p53;

    private BinaryOps() {}

    static boolean has(String name) {
        return switch (name) {
            case OpName.ADD,
                    OpName.SUB,
                    OpName.MUL,
                    OpName.DIV,
                    OpName.POW,
                    OpName.MOD,
                    "PRelu",
                    OpName.MAX,
                    OpName.MIN,
                    "Sum",
                    "Mean" -> true;
            case OpName.AND, "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift" -> true;
            case OpName.EQUAL, OpName.LESS, OpName.GREATER, OpName.LESS_OR_EQUAL, OpName.GREATER_OR_EQUAL -> true;
            default -> false;
        };
    }

    /** The function that ONNX calls {@code name}; {@code type} is that of its first operand. */
    static @Nullable Binary find(String name, Attributes attributes, ElementType type) {
        boolean unsigned = type == ElementType.UINT64;
        return switch (name) {
            case OpName.ADD, "Sum", "Mean" -> add();
            case OpName.SUB -> subtract();
            case OpName.MUL -> multiply();
            case OpName.DIV -> divide(unsigned);
            case OpName.POW -> pow();
            case OpName.MOD -> modulo(attributes.flag("fmod", false), type);
            case "PRelu" -> prelu();
            case OpName.MAX -> maximum(unsigned);
            case OpName.MIN -> minimum(unsigned);
            case OpName.AND, "BitwiseAnd" -> Binary.ofLongs((x, y) -> x & y);
            case "Or", "BitwiseOr" -> Binary.ofLongs((x, y) -> x | y);
            case "Xor", "BitwiseXor" -> Binary.ofLongs((x, y) -> x ^ y);
            case "BitShift" -> shift(attributes.text("direction"), type.bits());
            case OpName.EQUAL -> Binary.of(Comparisons::isEqual).onLongs(Comparisons::isEqual);
            case OpName.LESS -> Binary.of(Comparisons::isLess).onLongs(ordered(unsigned, Comparisons::isLess));
            case OpName.GREATER ->
                Binary.of((x, y) -> Comparisons.isLess(y, x))
                        .onLongs(ordered(unsigned, (x, y) -> Comparisons.isLess(y, x)));
            case OpName.LESS_OR_EQUAL ->
                Binary.of(Comparisons::isLessOrEqual)
                        .onLongs(ordered(unsigned, (x, y) -> 1 ^ Comparisons.isLess(y, x)));
            case OpName.GREATER_OR_EQUAL ->
                Binary.of((x, y) -> Comparisons.isLessOrEqual(y, x))
                        .onLongs(ordered(unsigned, (x, y) -> 1 ^ Comparisons.isLess(x, y)));
            default -> null;
        };
    }

    /** A comparison of signed longs, made one of unsigned longs where asked. */
    private static LongBinaryOperator ordered(boolean unsigned, LongBinaryOperator compare) {
        return unsigned ? (x, y) -> compare.applyAsLong(x ^ FLIP, y ^ FLIP) : compare;
    }

    private static Binary add() {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] + y[i];
            }
        };
        return Binary.of(floats, Double::sum).onLongs(Long::sum);
    }

    private static Binary subtract() {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] - y[i];
            }
        };
        return Binary.of(floats, (x, y) -> x - y).onLongs((x, y) -> x - y);
    }

    private static Binary multiply() {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] * y[i];
            }
        };
        return Binary.of(floats, (x, y) -> x * y).onLongs((x, y) -> x * y);
    }

    private static Binary divide(boolean unsigned) {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] / y[i];
            }
        };
        return Binary.of(floats, (x, y) -> x / y)
                .onLongs(unsigned ? (x, y) -> Long.divideUnsigned(x, divisor(y)) : (x, y) -> x / divisor(y));
    }

    private static long divisor(long y) {
        if (y == 0) {
            throw EngineException.invalidArgument("integer division by zero");
        }
        return y;
    }

    private static Binary modulo(boolean truncated, ElementType type) {
        if (type == ElementType.UINT64) {
            return Binary.ofLongs((x, y) -> Long.remainderUnsigned(x, divisor(y)));
        }
        return truncated
                ? Binary.of((x, y) -> x % y).onLongs((x, y) -> x % divisor(y))
                : Binary.of((x, y) -> x - y * Math.floor(x / y)).onLongs((x, y) -> Math.floorMod(x, divisor(y)));
    }

    private static Binary pow() {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = (float) power(x[i], y[i]);
            }
        };
        Binary.Doubles doubles = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = power(x[i], y[i]);
            }
        };
        return new Binary(floats, doubles, null).onLongs(BinaryOps::power);
    }

    private static Binary prelu() {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = x[i] < 0 ? x[i] * y[i] : x[i];
            }
        };
        return Binary.of(floats, (x, y) -> x < 0 ? x * y : x).onLongs((x, y) -> x < 0 ? x * y : x);
    }

    private static Binary maximum(boolean unsigned) {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = Math.max(x[i], y[i]);
            }
        };
        Binary.Doubles doubles = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = Math.max(x[i], y[i]);
            }
        };
        return new Binary(floats, doubles, null)
                .onLongs(unsigned ? (x, y) -> (x ^ FLIP) > (y ^ FLIP) ? x : y : Math::max);
    }

    private static Binary minimum(boolean unsigned) {
        Binary.Floats floats = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = Math.min(x[i], y[i]);
            }
        };
        Binary.Doubles doubles = (x, y, z, n) -> {
            for (int i = 0; i < n; i++) {
                z[i] = Math.min(x[i], y[i]);
            }
        };
        return new Binary(floats, doubles, null)
                .onLongs(unsigned ? (x, y) -> (x ^ FLIP) < (y ^ FLIP) ? x : y : Math::min);
    }

    private static Binary shift(String direction, int bits) {
        return direction.equals("LEFT")
                ? Binary.ofLongs((x, y) -> y < 0 || y >= bits ? 0 : x << y)
                : Binary.ofLongs((x, y) -> y < 0 || y >= bits ? 0 : x >>> y);
    }

    /**
     * A small whole number to a small whole power is a product, which is exact; all else is rounded. As C has it, unlike
     * Java, all powers of 1 are 1, that to NaN and infinite ones of -1 included.
     */
    private static double power(double base, double exponent) {
        int factors = (int) exponent;
        if (factors == exponent && factors >= 0 && factors < Long.SIZE && base == Math.rint(base)) {
            double result = 1;
            double factor = base;
            for (int left = factors; left > 0; left >>= 1) {
                result = (left & 1) == 0 ? result : result * factor;
                factor *= factor;
            }
            if (Math.abs(result) <= LAST_WHOLE) {
                return result;
            }
        }
        return base == 1 || base == -1 && Double.isInfinite(exponent) ? 1 : Math.pow(base, exponent);
    }

    private static long power(long base, long exponent) {
        if (exponent < 0) {
            return base == 1 ? 1 : base == -1 ? ((exponent & 1) == 0 ? 1 : -1) : 0;
        }
        long result = 1;
        long square = base;
        for (long rest = exponent; rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) {
                result *= square;
            }
            square *= square;
        }
        return result;
    }

    /** The power to an exponent that is the same for all elements, where there is a shorter way than {@code pow}. */
    static @Nullable Unary powerOf(double exponent) {
        Unary.Floats floats;
        if (exponent == 2) {
            floats = (x, y, n) -> {
                for (int i = 0; i < n; i++) {
                    y[i] = x[i] * x[i];
                }
            };
        } else if (exponent == 3) {
            floats = (x, y, n) -> {
                for (int i = 0; i < n; i++) {
                    y[i] = x[i] * x[i] * x[i];
                }
            };
        } else if (exponent == 0.5) {
            floats = (x, y, n) -> {
                for (int i = 0; i < n; i++) {
                    y[i] = (float) Math.sqrt(x[i]);
                }
            };
        } else {
            return null;
        }
        return Unary.of(floats, x -> Math.pow(x, exponent)).onLongs(x -> power(x, (long) exponent));
    }
}
