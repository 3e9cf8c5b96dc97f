package dev.millrace.codegen.program;

/** Writes the steps of scalars: pointers, counters and what is computed from them. */
public abstract sealed class ScalarBuilder extends BlockBuilder permits ProgramBuilder {
    ScalarBuilder(String name, Target target) {
        super(name, target);
    }

    public final void set(ScalarVar to, ScalarVar from) {
        add(new Step.ScalarCopy(to, from, 0));
    }

    public final void set(ScalarVar to, long constant) {
        add(new Step.ScalarCopy(to, null, constant));
    }

    /** A scalar of 64 bits from memory. */
    public final ScalarVar loadLong(Address from, String variableName) {
        ScalarVar to = scalar(variableName);
        add(new Step.ScalarLoad(to, true, from));
        return to;
    }

    /** A scalar of 64 bits from an array in memory, one element per constant of an enum. */
    public final ScalarVar loadLong(ScalarVar array, Enum<?> element) {
        return loadLong(Address.at(array, Long.BYTES * element.ordinal()), element.name());
    }

    /** A scalar of 32 bits with sign from memory. */
    public final ScalarVar loadInt(Address from, String variableName) {
        ScalarVar to = scalar(variableName);
        add(new Step.ScalarLoad(to, false, from));
        return to;
    }

    /** A new variable with the value that another has now. */
    public final ScalarVar copy(ScalarVar from, String variableName) {
        ScalarVar to = scalar(variableName);
        set(to, from);
        return to;
    }

    public final void scalar(ScalarVar to, ScalarOp op, ScalarVar a, ScalarVar b) {
        if (op == ScalarOp.SHL || op == ScalarOp.SHR) {
            throw wrong("shifts by a variable");
        }
        add(new Step.Scalar(op, to, a, b, 0));
    }

    public final void scalar(ScalarVar to, ScalarOp op, ScalarVar a, int constant) {
        boolean shift = op == ScalarOp.SHL || op == ScalarOp.SHR;
        if (shift && (constant < 0 || constant >= Long.SIZE)) {
            throw wrong("shifts by " + constant + ", not by 0 to 63");
        }
        add(new Step.Scalar(op, to, a, null, constant));
    }

    /** {@code pointer += bytes} */
    public final void advance(ScalarVar pointer, int bytes) {
        scalar(pointer, ScalarOp.ADD, pointer, bytes);
    }

    /** {@code pointer += bytes} */
    public final void advance(ScalarVar pointer, ScalarVar bytes) {
        scalar(pointer, ScalarOp.ADD, pointer, bytes);
    }

    /** The low half of a scalar that carries two unsigned numbers; {@link #high} is the other one. */
    public final ScalarVar low(ScalarVar pair, String variableName) {
        ScalarVar to = scalar(variableName);
        scalar(to, ScalarOp.SHL, pair, 32);
        scalar(to, ScalarOp.SHR, to, 32);
        return to;
    }

    public final ScalarVar high(ScalarVar pair, String variableName) {
        ScalarVar to = scalar(variableName);
        scalar(to, ScalarOp.SHR, pair, 32);
        return to;
    }
}
