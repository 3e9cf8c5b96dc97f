package dev.millrace.kernels.pool;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.image.Combination;

/** The operation of a pooling on the elements of its window. */
public final class PoolingOperation {
    private static final Expr ELEMENT = Expr.input(0);
    private static final int MAX_POWER = 16;
    private static final int MAX_BEHIND = 1 << 20;

    private final WindowOp op;
    private final boolean takesSquares;

    private PoolingOperation(WindowOp op) {
        this(op, false);
    }

    private PoolingOperation(WindowOp op, boolean takesSquares) {
        this.op = op;
        this.takesSquares = takesSquares;
    }

    WindowOp op() {
        return op;
    }

    /** Whether kernels do all of the work: roots of squares are checked in Java. */
    public boolean isOfKernels() {
        return !takesSquares;
    }

    /** Whether all elements of a window are added up. */
    public boolean isSum() {
        return op.op() == Combination.SUM;
    }

    /**
     * Returns the maximum. A NaN counts only if no number follows it. The maximum of no element is negative infinity.
     */
    public static PoolingOperation max() {
        return new PoolingOperation(WindowOp.of(Combination.MAX, ELEMENT, ELEMENT));
    }

    /** Returns the average of the elements inside of the image. */
    public static PoolingOperation average() {
        return new PoolingOperation(new WindowOp(Combination.SUM, ELEMENT, ELEMENT, true, -1, -1, -1));
    }

    /** Returns the average of the elements inside of the image and of the zeros of the padding. */
    public static PoolingOperation averageWithPadding(int planesBehind, int rowsBehind, int columnsBehind) {
        for (int behind : new int[] {planesBehind, rowsBehind, columnsBehind}) {
            if (behind < 0 || behind > MAX_BEHIND) {
                throw new IllegalArgumentException(
                        "an average with a padding of " + behind + ": it must be 0 to " + MAX_BEHIND);
            }
        }
        return new PoolingOperation(
                new WindowOp(Combination.SUM, ELEMENT, ELEMENT, true, planesBehind, rowsBehind, columnsBehind));
    }

    /** Returns the p-norm, for p from 1 to 16; from 3 on, for numbers whose powers are finite floats. */
    public static PoolingOperation norm(int p) {
        if (p < 1 || p > MAX_POWER) {
            throw new IllegalArgumentException("a pooling by the " + p + "-norm: p must be 1 to " + MAX_POWER);
        }
        Expr magnitude = ELEMENT.apply(FloatFunction.ABS);
        Expr power = p % 2 == 0 ? ELEMENT.times(ELEMENT) : magnitude;
        for (int i = p % 2 == 0 ? 2 : 1; i < p; i++) {
            power = power.times(magnitude);
        }
        Expr root = switch (p) {
            case 1 -> ELEMENT;
            case 2 -> ELEMENT.apply(FloatFunction.SQRT);
            default ->
                ELEMENT.apply(FloatFunction.LOG).times(Expr.number(1f / p)).apply(FloatFunction.EXP);
        };
        return new PoolingOperation(WindowOp.of(Combination.SUM, power, root), p == 2);
    }
}
