package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.UnaryOp;

/** The definition of programs' operations, lane by lane, with which the other lowerings agree to the bit. */
final class Arithmetic {
    private Arithmetic() {}

    static int unary(UnaryOp op, int bits) {
        float value = Float.intBitsToFloat(bits);
        return switch (op) {
            case COPY -> bits;
            case SQRT -> Float.floatToRawIntBits((float) Math.sqrt(value));
            case ROUND -> Float.floatToRawIntBits((float) Math.rint(value));
            case FLOOR -> Float.floatToRawIntBits((float) Math.floor(value));
            case CEIL -> Float.floatToRawIntBits((float) Math.ceil(value));
            case TRUNCATE -> Float.floatToRawIntBits((float) (value < 0 ? Math.ceil(value) : Math.floor(value)));
            case TO_INT -> toInt(value);
            case TO_FLOAT -> Float.floatToRawIntBits((float) bits);
        };
    }

    private static int toInt(float value) {
        double rounded = Math.rint(value);
        return rounded >= -0x1p31 && rounded < 0x1p31 ? (int) rounded : Integer.MIN_VALUE;
    }

    static int binary(BinaryOp op, int a, int b) {
        return switch (op) {
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
            case INT_ADD -> a + b;
            case INT_SUB -> a - b;
            case SHIFT_LEFT -> a << b;
            case SHIFT_RIGHT -> a >>> b;
            case SHIFT_RIGHT_SIGNED -> a >> b;
            case INT_MUL -> a * b;
            case INT_MIN -> Math.min(a, b);
            case INT_MAX -> Math.max(a, b);
            case ADD_S16 -> a + b & 0xffff | (a >>> 16) + (b >>> 16) << 16;
            case ADD_S16_SATURATED ->
                saturated((short) a + (short) b) & 0xffff | saturated((a >> 16) + (b >> 16)) << 16;
            case DOT_S16 -> (short) a * (short) b + (a >> 16) * (b >> 16);
            case DOT_U8S8_SATURATED -> saturatedPair(a, b) & 0xffff | saturatedPair(a >>> 16, b >>> 16) << 16;
            default -> Float.floatToRawIntBits(floats(op, Float.intBitsToFloat(a), Float.intBitsToFloat(b)));
        };
    }

    /** Computes the sum of two unsigned bytes times two signed ones, saturated to 16 bits. */
    private static int saturatedPair(int a, int b) {
        return saturated((a & 0xff) * (byte) b + (a >>> 8 & 0xff) * (byte) (b >>> 8));
    }

    static int saturated(int number) {
        return Math.clamp(number, Short.MIN_VALUE, Short.MAX_VALUE);
    }

    static int dot(DotOp op, int sum, int a, int b) {
        return switch (op) {
            case U8S8 -> {
                int result = sum;
                for (int shift = 0; shift < 32; shift += 8) {
                    result += (a >>> shift & 0xff) * (byte) (b >>> shift);
                }
                yield result;
            }
            case BF16 -> {
                float upper = bfloatSum(Float.intBitsToFloat(sum), a & 0xffff0000, b & 0xffff0000);
                yield Float.floatToRawIntBits(bfloatSum(upper, a << 16, b << 16));
            }
        };
    }

    private static float bfloatSum(float sum, int a, int b) {
        float x = flushed(Float.intBitsToFloat(a));
        return flushed(Math.fma(x, flushed(Float.intBitsToFloat(b)), flushed(sum)));
    }

    private static float flushed(float value) {
        return Math.abs(value) < Float.MIN_NORMAL ? Math.copySign(0, value) : value;
    }

    private static float floats(BinaryOp op, float a, float b) {
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> a < b ? a : b;
            case MAX -> a > b ? a : b;
            case SCALE -> (float) (a * Math.scalb(1.0, (int) b));
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    static int multiplyAdd(boolean negated, int a, int b, int c) {
        float x = Float.intBitsToFloat(a);
        float y = Float.intBitsToFloat(b);
        float z = Float.intBitsToFloat(c);
        return Float.floatToRawIntBits(Math.fma(negated ? -x : x, y, z));
    }

    static boolean compare(Comparison op, int a, int b) {
        float x = Float.intBitsToFloat(a);
        float y = Float.intBitsToFloat(b);
        return switch (op) {
            case EQUAL -> x == y;
            case LESS -> x < y;
            case LESS_OR_EQUAL -> x <= y;
            case NOT_EQUAL -> x != y;
            case GREATER_OR_EQUAL -> x >= y;
            case GREATER -> x > y;
            case UNORDERED -> Float.isNaN(x) || Float.isNaN(y);
            case INT_EQUAL -> a == b;
            case INT_GREATER -> a > b;
        };
    }

    static long scalar(ScalarOp op, long a, long b) {
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case AND -> a & b;
            case SHL -> a << b;
            case SHR -> a >>> b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
        };
    }
}
