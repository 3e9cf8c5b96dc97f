package dev.millrace.kernels;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import java.util.Random;

/** A family under test: what {@link EveryFamilyTest} runs at each level, on thousands of random shapes. */
public interface FamilyCase {
    /** The family, for messages. */
    String name();

    /**
     * Draws a shape, runs the family on guarded memory, and compares the result with a reference in double.
     *
     * @param small whether kernels are interpreted, so that shapes should be tiny
     * @throws AssertionError if the result is out of bounds; the message says the shape
     */
    void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small);
}
