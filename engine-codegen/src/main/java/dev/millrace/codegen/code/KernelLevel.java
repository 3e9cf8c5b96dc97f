package dev.millrace.codegen.code;

/** How kernels run, the best first. */
public enum KernelLevel {
    /** Machine code with AVX-512 (F, BW, DQ, VL). */
    AVX512,
    /** Machine code with AVX2, FMA and F16C. */
    AVX2,
    /** Bytecode on the Vector API. */
    VECTOR_API,
    /** Interpreted in Java. Slow, and works everywhere. */
    PLAIN;

    public boolean emitsMachineCode() {
        return this == AVX512 || this == AVX2;
    }
}
