package dev.millrace.codegen.asm;

/** A set of instructions that a processor has or has not. */
public enum Feature {
    BASE,
    POPCNT,
    LZCNT,
    BMI1,
    BMI2,
    AVX,
    AVX2,
    FMA,
    F16C,
    AVX_VNNI,
    AVX512F,
    AVX512BW,
    AVX512DQ,
    AVX512VL,
    AVX512_VBMI,
    AVX512_VNNI,
    AVX512_BF16
}
