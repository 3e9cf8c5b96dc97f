package dev.millrace.codegen.program;

import java.util.Set;

/**
 * The machine that a program is written for: it decides tile sizes and unrolling, never what is computed.
 *
 * @param lanes 32-bit elements in a vector
 * @param vectors vector registers
 * @param masks mask registers, or 0 when masks live in vector registers
 * @param dots the sums of products that it has instructions for
 */
public record Target(String name, int lanes, int vectors, int masks, Set<DotOp> dots) {
    public static final Target AVX512 = new Target("avx512", 16, 32, 6, Set.of());
    public static final Target AVX2 = new Target("avx2", 8, 16, 0, Set.of());
    /** The interpreter: register pressure does not exist there, but its programs are those of AVX2. */
    public static final Target PLAIN = new Target("plain", 8, 16, 0, Set.of());

    public Target {
        dots = Set.copyOf(dots);
    }

    /** This machine with instructions for these sums of products. */
    public Target with(Set<DotOp> available) {
        return new Target(name, lanes, vectors, masks, available);
    }

    public int vectorBytes() {
        return 4 * lanes;
    }
}
