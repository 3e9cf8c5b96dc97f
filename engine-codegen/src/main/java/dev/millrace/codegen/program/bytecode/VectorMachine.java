package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Target;
import java.util.Set;
import jdk.incubator.vector.FloatVector;

/**
 * The properties of the processor for code on the Vector API.
 *
 * @param masksHold whether a masked load never touches the memory of other lanes
 * @param fewRegisters whether the JVM's compiler has hardly enough registers for a tile
 */
record VectorMachine(Target target, boolean masksHold, boolean fewRegisters) {
    private static final int LEAST_BITS = 128;
    private static final int MOST_BITS = 512;
    /** The number of registers that a kernel may use where the processor has 16; the JVM's compiler needs the rest. */
    private static final int FEW = 12;

    private static final int MANY = 32;

    /** @param bits the width of a vector */
    static VectorMachine of(int bits) {
        if (bits != LEAST_BITS && bits != 256 && bits != MOST_BITS) {
            throw new IllegalArgumentException("vectors have 128, 256 or 512 bits, not " + bits);
        }
        String architecture = System.getProperty("os.arch");
        boolean x86 = architecture.equals("amd64") || architecture.equals("x86_64");
        boolean few = x86 && bits < MOST_BITS;
        String name = "vector".concat(Integer.toString(bits));
        Target target = new Target(name, bits / 32, few ? FEW : MANY, few ? 0 : 6, Set.of());
        // Without AVX, the JVM reads whole vectors if all memory is one segment.
        return new VectorMachine(target, x86 && preferredBits() > LEAST_BITS, few);
    }

    static int preferredBits() {
        return Math.clamp(FloatVector.SPECIES_PREFERRED.vectorBitSize(), LEAST_BITS, MOST_BITS);
    }
}
