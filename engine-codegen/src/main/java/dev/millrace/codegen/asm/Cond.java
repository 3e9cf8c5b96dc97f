package dev.millrace.codegen.asm;

/** A condition of the flags, in the order of the condition codes. */
public enum Cond {
    OVERFLOW("o"),
    NO_OVERFLOW("no"),
    BELOW("b"),
    ABOVE_OR_EQUAL("ae"),
    EQUAL("e"),
    NOT_EQUAL("ne"),
    BELOW_OR_EQUAL("be"),
    ABOVE("a"),
    NEGATIVE("s"),
    NOT_NEGATIVE("ns"),
    PARITY("p"),
    NO_PARITY("np"),
    LESS("l"),
    GREATER_OR_EQUAL("ge"),
    LESS_OR_EQUAL("le"),
    GREATER("g");

    private final String suffix;

    Cond(String suffix) {
        this.suffix = suffix;
    }

    /** The suffix that follows the {@code j} in the name of the jump. */
    public String suffix() {
        return suffix;
    }

    int code() {
        return ordinal();
    }
}
