package dev.millrace.kernels.reduce;

/** The operation of a reduction on the numbers of its axes. */
public enum ReduceOp {
    SUM(Combine.ADD, Before.NONE, After.NONE),
    MEAN(Combine.ADD, Before.NONE, After.DIVIDE),
    /** The maximum, which is NaN if any number is. */
    MAX(Combine.MAX, Before.NONE, After.NONE),
    /** The minimum, which is NaN if any number is. */
    MIN(Combine.MIN, Before.NONE, After.NONE),
    PROD(Combine.MUL, Before.NONE, After.NONE),
    SUM_SQUARE(Combine.ADD, Before.SQUARE, After.NONE),
    /** The sum of the magnitudes. */
    L1(Combine.ADD, Before.ABS, After.NONE),
    /** The root of the sum of the squares. */
    L2(Combine.ADD, Before.SQUARE, After.SQRT),
    /** The logarithm of the sum. */
    LOG_SUM(Combine.ADD, Before.NONE, After.LOG),
    /** The logarithm of the sum of the exponentials, computed such that these do not overflow. */
    LOG_SUM_EXP(Combine.ADD, Before.EXP, After.LOG_PLUS);

    /** The combination of two numbers. */
    enum Combine {
        ADD,
        MUL,
        MAX,
        MIN
    }

    /** The operation on each number before it is combined. */
    enum Before {
        NONE,
        SQUARE,
        ABS,
        /** The exponential of the number minus a shift. */
        EXP
    }

    /** The operation on the result. */
    enum After {
        NONE,
        /** Division by a number. */
        DIVIDE,
        SQRT,
        LOG,
        /** The logarithm, with a shift added. */
        LOG_PLUS,
        /** 0 in place of an infinite result, so that it can be a shift. */
        FINITE
    }

    private final Combine combine;
    private final Before before;
    private final After after;

    ReduceOp(Combine combine, Before before, After after) {
        this.combine = combine;
        this.before = before;
        this.after = after;
    }

    Combine combine() {
        return combine;
    }

    Before before() {
        return before;
    }

    After after() {
        return after;
    }

    /** Returns the operation that only combines. */
    static ReduceOp of(Combine combine) {
        return switch (combine) {
            case ADD -> SUM;
            case MUL -> PROD;
            case MAX -> MAX;
            case MIN -> MIN;
        };
    }

    /** Whether ints and doubles can be reduced by it, too. */
    public boolean isOfAllNumbers() {
        return before == Before.NONE && (after == After.NONE || after == After.DIVIDE);
    }
}
