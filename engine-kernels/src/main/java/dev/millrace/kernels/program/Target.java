package dev.millrace.kernels.program;

/**
 * The machine that a program is written for: it decides tile sizes and unrolling, never what is computed.
 *
 * @param lanes 32-bit elements in a vector
 * @param vectors vector registers
 * @param masks mask registers, or 0 when masks live in vector registers
 */
public record Target(String name, int lanes, int vectors, int masks) {
    public static final Target AVX512 = new Target("avx512", 16, 32, 7);
    public static final Target AVX2 = new Target("avx2", 8, 16, 0);
    /** The interpreter: register pressure does not exist there, but its programs are those of AVX2. */
    public static final Target PLAIN = new Target("plain", 8, 16, 0);

    public int vectorBytes() {
        return 4 * lanes;
    }
}
