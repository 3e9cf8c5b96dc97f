package dev.millrace.kernels.recurrent;

/** The offsets in bytes of the arguments of gate kernels in their block of memory. */
final class GateArguments {
    /** Pointer to the gates of the first row. */
    static final int GATES = 0;

    static final int GATE_STRIDE = 8;
    /** Pointer to the second row of gates. */
    static final int SECOND = 16;

    static final int SECOND_STRIDE = 24;
    /**
     * Bytes from one gate to the next, which are also those from row to row of everything but gates: four for each unit
     * of the layer.
     */
    static final int GROUP = 32;

    static final int ROWS = 40;
    /** Pointer to the states. */
    static final int STATE = 48;
    /** Pointer to the destination of the new states. */
    static final int NEXT = 56;
    /** Pointer to further numbers, one for each unit. */
    static final int OTHER = 64;
    /** Pointer to the outputs. */
    static final int OUT = 72;
    /** The number of units in each row that the kernel computes. */
    static final int UNITS = 80;
    /** Two floats, the upper and the lower bound of clipping. */
    static final int CLIP = 88;

    static final int CLIP_BELOW = 92;
    static final int BYTES = 96;

    private GateArguments() {}
}
