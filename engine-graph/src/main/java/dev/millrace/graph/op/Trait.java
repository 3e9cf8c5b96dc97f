package dev.millrace.graph.op;

import java.util.Locale;

/** A property of an operator in all its versions, on which passes and inference rely. */
public enum Trait {
    /** Each element of the output depends on the element at the same index of the first input; the shape stays. */
    UNARY,
    /** Each element depends on two, whose tensors broadcast by numpy's rule; before opset 7 by another one. */
    BINARY,
    /** The output has the type and the shape of the first input. */
    SAME,
    /** The output has the type of both inputs, and the shape that they broadcast to. */
    BROADCASTS,
    /** The output has a boolean for each pair of elements, in the shape that the inputs broadcast to. */
    COMPARES,
    /** The output has the type of any number of inputs, and the shape that they broadcast to. */
    MIXES,
    /** The output has a boolean for each element of the first input. */
    TESTS,
    /** The operator removes axes or reduces them to extent 1. */
    REDUCES,
    /** Equal inputs give different outputs. */
    RANDOM,
    /** The output is the input where it is positive, and else 0. */
    AT_LEAST_ZERO,
    /** Fused operators of {@code com.microsoft} may name it in an attribute, with its own numbers in others. */
    ACTIVATION,
    /** The engine's own operator Linear can apply it as its activation. */
    LINEAR_ACTIVATION,
    /** A recurrent layer may name it as an activation. */
    RECURRENT_ACTIVATION;

    /** Returns the trait for a word of the table: its name in lower case, with hyphens. */
    static Trait of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
