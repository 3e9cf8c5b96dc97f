package dev.millrace.providers.simd;

import org.jspecify.annotations.Nullable;

/**
 * What a step of an {@link Expression} does to a block of floats. {@code a} and {@code b} are registers, {@code p} and
 * {@code q} constants. The codes stand in programs that are kept and never change their meaning.
 */
enum Op {
    /** Reads operand number {@code a} of the expression. */
    LOAD(0, 0),

    NEG(1, 1),
    ABS(2, 1),
    SQRT(3, 1),
    /** p / a. */
    DIVIDE_INTO(4, 1),
    RELU(5, 1),
    SIGMOID(6, 1),
    TANH(7, 1),
    ERF(8, 1),
    EXP(9, 1),
    LOG(10, 1),
    SOFTPLUS(11, 1),
    GELU(12, 1),
    GELU_TANH(13, 1),
    HARD_SWISH(14, 1),
    /** max(0, min(1, p · a + q)). */
    HARD_SIGMOID(15, 1),
    /** a where it is positive, p · a elsewhere. */
    LEAKY_RELU(16, 1),
    /** min(q, max(p, a)). */
    CLIP(17, 1),
    /** a + p. */
    ADD_CONSTANT(18, 1),
    /** p - a. */
    SUBTRACT_FROM(19, 1),
    /** a · p. */
    SCALE(20, 1),
    /** a / p. */
    DIVIDE_BY(21, 1),
    /** min(a, p). */
    AT_MOST(22, 1),
    /** max(a, p). */
    AT_LEAST(23, 1),

    ADD(32, 2),
    SUBTRACT(33, 2),
    MULTIPLY(34, 2),
    DIVIDE(35, 2),
    MIN(36, 2),
    MAX(37, 2);

    private static final @Nullable Op[] BY_CODE = new Op[38];

    static {
        for (Op op : values()) {
            BY_CODE[op.code] = op;
        }
    }

    private final int code;
    private final int arity;

    Op(int code, int arity) {
        this.code = code;
        this.arity = arity;
    }

    int code() {
        return code;
    }

    /** How many registers it reads. */
    int arity() {
        return arity;
    }

    static @Nullable Op ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
