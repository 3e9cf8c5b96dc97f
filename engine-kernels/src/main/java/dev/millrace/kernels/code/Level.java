package dev.millrace.kernels.code;

/** How kernels run, the best first. */
public enum Level {
    /** Machine code with AVX-512 (F, BW, DQ, VL). */
    AVX512(16),
    /** Machine code with AVX2, FMA and F16C. */
    AVX2(8),
    /** Bytecode on the Vector API. */
    VECTOR_API(8),
    /** Interpreted in Java. Slow, and works everywhere. */
    PLAIN(8);

    private final int lanes;

    Level(int lanes) {
        this.lanes = lanes;
    }

    /** How many 32-bit elements a vector has. */
    public int lanes() {
        return lanes;
    }

    public boolean emitsMachineCode() {
        return this == AVX512 || this == AVX2;
    }
}
