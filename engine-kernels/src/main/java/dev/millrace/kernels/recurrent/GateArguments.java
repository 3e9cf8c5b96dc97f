package dev.millrace.kernels.recurrent;

/** Where the arguments of kernels for gates are in their block of memory, in bytes. */
final class GateArguments {
    /** Pointer to the gates of the first row. */
    static final int GATES = 0;

    static final int GATE_STRIDE = 8;
    /** Pointer to the second row of gates. */
    static final int SECOND = 16;

    static final int SECOND_STRIDE = 24;
    /** Bytes from one gate to the next: four for each unit. */
    static final int GROUP = 32;

    static final int ROWS = 40;
    /** Pointer to the states, close together. */
    static final int STATE = 48;
    /** Pointer to something else for each unit, close together. */
    static final int OTHER = 56;
    /** Pointer to the outputs, close together. */
    static final int OUT = 64;
    /** Two floats, the upper and the lower bound. */
    static final int CLIP = 72;

    static final int CLIP_BELOW = 76;
    static final int BYTES = 80;

    private GateArguments() {}
}
