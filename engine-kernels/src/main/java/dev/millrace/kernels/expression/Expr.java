package dev.millrace.kernels.expression;

/** An elementwise expression over inputs of one length. A subexpression that occurs twice is computed once. */
public sealed interface Expr {
    /** The element of input {@code index} at the position that is computed. */
    record Input(int index, DataType type) implements Expr {
        public Input {
            checkIndex(index);
        }

        @Override
        public Kind kind() {
            return type.kind();
        }
    }

    /** The only element of input {@code index}, for all positions. */
    record Single(int index, DataType type) implements Expr {
        public Single {
            checkIndex(index);
        }

        @Override
        public Kind kind() {
            return type.kind();
        }
    }

    /** A constant, held as its bits, so that equality is that of the bits. */
    record Literal(int bits, Kind kind) implements Expr {}

    /** A function of an expression. */
    record Apply(FloatFunction function, Expr argument) implements Expr {
        public Apply {
            if (argument.kind() != Kind.FLOAT) {
                throw new IllegalArgumentException(function + " cannot be taken of " + argument.kind());
            }
        }

        @Override
        public Kind kind() {
            return Kind.FLOAT;
        }
    }

    /** An operator on two expressions. */
    record Combine(Operator operator, Expr left, Expr right) implements Expr {
        public Combine {
            operator.kindOf(left.kind(), right.kind());
        }

        @Override
        public Kind kind() {
            return operator.kindOf(left.kind(), right.kind());
        }
    }

    /**
     * The conversion of a value to another kind: floats lose their fraction, and become the least int where they do not
     * fit; numbers other than 0 become 1 as a bool.
     */
    record Convert(Kind kind, Expr argument) implements Expr {}

    /** The choice between two expressions. */
    record Choose(Expr condition, Expr then, Expr otherwise) implements Expr {
        public Choose {
            if (condition.kind() != Kind.BOOL || then.kind() != otherwise.kind()) {
                throw new IllegalArgumentException(
                        condition.kind() + " cannot choose between " + then.kind() + " and " + otherwise.kind());
            }
        }

        @Override
        public Kind kind() {
            return then.kind();
        }
    }

    /** The most inputs of an expression. */
    int MAX_INPUTS = 4;

    private static void checkIndex(int index) {
        if (index < 0 || index >= MAX_INPUTS) {
            throw new IllegalArgumentException("input " + index + " does not exist: 0 to " + (MAX_INPUTS - 1) + " do");
        }
    }

    Kind kind();

    static Expr input(int index) {
        return new Input(index, DataType.F32);
    }

    static Expr input(int index, DataType type) {
        return new Input(index, type);
    }

    static Expr single(int index) {
        return new Single(index, DataType.F32);
    }

    static Expr number(float value) {
        return new Literal(Float.floatToRawIntBits(value), Kind.FLOAT);
    }

    static Expr integer(int value) {
        return new Literal(value, Kind.INT);
    }

    static Expr truth(boolean value) {
        return new Literal(value ? 1 : 0, Kind.BOOL);
    }

    default Expr apply(FloatFunction function) {
        return new Apply(function, this);
    }

    default Expr combine(Operator operator, Expr other) {
        return new Combine(operator, this, other);
    }

    default Expr plus(Expr other) {
        return combine(Operator.ADD, other);
    }

    default Expr minus(Expr other) {
        return combine(Operator.SUB, other);
    }

    default Expr times(Expr other) {
        return combine(Operator.MUL, other);
    }

    default Expr over(Expr other) {
        return combine(Operator.DIV, other);
    }

    default Expr max(Expr other) {
        return combine(Operator.MAX, other);
    }

    default Expr min(Expr other) {
        return combine(Operator.MIN, other);
    }

    default Expr to(Kind kind) {
        return kind == kind() ? this : new Convert(kind, this);
    }

    /** Selects {@code then} where this condition holds, else {@code otherwise}. */
    default Expr choose(Expr then, Expr otherwise) {
        return new Choose(this, then, otherwise);
    }

    /** Returns {@code x/2 (1 + erf(x/sqrt 2))}. */
    static Expr gelu(Expr x) {
        Expr erf = x.times(number((float) Math.sqrt(0.5))).apply(FloatFunction.ERF_AS_RATIO);
        return x.times(number(0.5f)).times(number(1).plus(erf));
    }

    /** Returns {@code x sigmoid(x)}. */
    static Expr silu(Expr x) {
        return x.times(x.apply(FloatFunction.SIGMOID));
    }
}
