package dev.millrace.graph.op;

import java.util.Locale;

/** What is true of an operator in all its versions. */
public enum Trait {
    /** Each element of the output follows from the element at its place in the first input, and the shape stays. */
    UNARY,
    /** Each element follows from two, whose tensors broadcast as numpy's do; before opset 7 in another way. */
    BINARY,
    /** The output has the type and the shape of the first input. */
    SAME,
    /** The output has the type of both inputs, and the shape that they broadcast to. */
    BROADCASTS,
    /** A truth for each pair of elements, in the shape that the inputs broadcast to. */
    COMPARES,
    /** The output has the type of any number of inputs, and the shape that they broadcast to. */
    MIXES,
    /** A truth for each element of the first input. */
    TESTS,
    /** Takes axes away, or leaves one place of them. */
    REDUCES,
    /** Equal inputs give other outputs. */
    RANDOM,
    /** The input where it is positive, and else 0. */
    AT_LEAST_ZERO,
    /** Fused operators of {@code com.microsoft} may name it in an attribute, with its own numbers in others. */
    ACTIVATION,
    /** The engine's product takes it in. */
    LINEAR_ACTIVATION,
    /** A recurrent layer may name it. */
    RECURRENT_ACTIVATION;

    /** What a word of the table means: the name in lower case, with hyphens. */
    static Trait of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
