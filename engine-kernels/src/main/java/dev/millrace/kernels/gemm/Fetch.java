package dev.millrace.kernels.gemm;

/** Which part of B a tile asks for before it is needed. */
public enum Fetch {
    /** None: B is near. */
    NONE,
    /** What is read some hundred bytes later: B comes from far. */
    SOON,
    /** The next panel, line by line while this one is read for the last time: B comes from far and is packed. */
    NEXT
}
