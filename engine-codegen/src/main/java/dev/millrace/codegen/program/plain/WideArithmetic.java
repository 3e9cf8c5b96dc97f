package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.WideOp;

/** The definition of operations on pairs of lanes, pair by pair. */
final class WideArithmetic {
    private static final long LOWER = 0xffffffffL;

    private WideArithmetic() {}

    static long of(WideOp op, long a, long b) {
        return switch (op) {
            case INT_ADD -> a + b;
            case INT_SUB -> a - b;
            case INT_PRODUCT -> (a & LOWER) * (b & LOWER);
            case INT_EQUAL -> all(a == b);
            case INT_GREATER -> all(a > b);
            default -> doubles(op, Double.longBitsToDouble(a), Double.longBitsToDouble(b));
        };
    }

    private static long doubles(WideOp op, double a, double b) {
        return switch (op) {
            case EQUAL -> all(a == b);
            case LESS -> all(a < b);
            case LESS_OR_EQUAL -> all(a <= b);
            default -> Double.doubleToRawLongBits(arithmetic(op, a, b));
        };
    }

    private static double arithmetic(WideOp op, double a, double b) {
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> a < b ? a : b;
            case MAX -> a > b ? a : b;
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static long all(boolean holds) {
        return holds ? -1 : 0;
    }
}
