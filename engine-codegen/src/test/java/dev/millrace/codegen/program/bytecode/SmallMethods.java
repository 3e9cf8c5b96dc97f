package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Lowering;

/** Lowers to the Vector API with each program in many methods. */
public final class SmallMethods {
    private static final int STEPS = 12;

    private SmallMethods() {}

    public static Lowering ofBits(int bits) {
        return new VectorApiLowering(bits, STEPS);
    }
}
