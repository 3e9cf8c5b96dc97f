package dev.millrace.kernels.expression;

/** An elementwise expression over inputs of one length. A subexpression that occurs twice is computed once. */
public sealed interface Expr {
    /** The element of input {@code index} at the same place. */
    record Input(int index) implements Expr {
        public Input {
            checkIndex(index);
        }
    }

    /** The only element of input {@code index}, for all places. */
    record Single(int index) implements Expr {
        public Single {
            checkIndex(index);
        }
    }

    /** A constant, by its bits, so that equality is that of the bits. */
    record Literal(int bits) implements Expr {}

    /** A function of an expression. */
    record Apply(Function function, Expr argument) implements Expr {}

    /** An operator between two expressions. */
    record Combine(Operator operator, Expr left, Expr right) implements Expr {}

    /** How many inputs an expression can have at most. */
    int MAX_INPUTS = 4;

    private static void checkIndex(int index) {
        if (index < 0 || index >= MAX_INPUTS) {
            throw new IllegalArgumentException("input " + index + " does not exist: 0 to " + (MAX_INPUTS - 1) + " do");
        }
    }

    static Expr input(int index) {
        return new Input(index);
    }

    static Expr single(int index) {
        return new Single(index);
    }

    static Expr number(float value) {
        return new Literal(Float.floatToRawIntBits(value));
    }

    default Expr apply(Function function) {
        return new Apply(function, this);
    }

    default Expr plus(Expr other) {
        return new Combine(Operator.ADD, this, other);
    }

    default Expr minus(Expr other) {
        return new Combine(Operator.SUB, this, other);
    }

    default Expr times(Expr other) {
        return new Combine(Operator.MUL, this, other);
    }

    default Expr over(Expr other) {
        return new Combine(Operator.DIV, this, other);
    }

    default Expr max(Expr other) {
        return new Combine(Operator.MAX, this, other);
    }

    default Expr min(Expr other) {
        return new Combine(Operator.MIN, this, other);
    }

    /** {@code x/2 (1 + erf(x/sqrt 2))} */
    static Expr gelu(Expr x) {
        Expr erf = x.times(number((float) Math.sqrt(0.5))).apply(Function.ERF);
        return x.times(number(0.5f)).times(number(1).plus(erf));
    }

    /** {@code x sigmoid(x)} */
    static Expr silu(Expr x) {
        return x.times(x.apply(Function.SIGMOID));
    }
}
