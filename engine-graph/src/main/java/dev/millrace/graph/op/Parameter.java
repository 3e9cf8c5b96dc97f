package dev.millrace.graph.op;

/**
 * A formal input or output.
 *
 * @param type the variable of a {@link TypeConstraint} of the operator, or a type
 * @param least how many values a variadic parameter stands for at least
 * @param homogeneous whether all values of a variadic parameter have one type
 */
public record Parameter(String name, String type, Arity arity, int least, boolean homogeneous) {

    /** How many values a parameter stands for. */
    public enum Arity {
        SINGLE,
        OPTIONAL,
        VARIADIC
    }

    public boolean isVariadic() {
        return arity == Arity.VARIADIC;
    }

    public boolean isOptional() {
        return arity == Arity.OPTIONAL;
    }
}
