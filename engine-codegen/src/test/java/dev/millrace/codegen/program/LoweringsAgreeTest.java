package dev.millrace.codegen.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.CodeArena;
import dev.millrace.codegen.code.CodeMap;
import dev.millrace.codegen.code.Machine;
import dev.millrace.codegen.program.bytecode.SmallMethods;
import dev.millrace.codegen.program.bytecode.VectorApiLowering;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.codegen.program.x86.X86Lowering;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machine code and the interpreter compute the same bits. */
class LoweringsAgreeTest {
    private static final int PROGRAMS = 3000;
    private static final float[] SPECIAL = {
        0f,
        -0f,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.MIN_VALUE,
        Float.MAX_VALUE,
        0.5f,
        1.5f,
        -2.5f
    };

    static void fill(MemorySegment segment, Random random) {
        for (long i = 0; i < segment.byteSize() / 4; i++) {
            float value = random.nextInt(8) == 0
                    ? SPECIAL[random.nextInt(SPECIAL.length)]
                    : (float) random.nextGaussian() * 4;
            segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        }
    }

    /** Equal bits, or both NaN: which NaN comes out of two is not defined. */
    static void assertSame(MemorySegment expected, MemorySegment actual, Program program) {
        for (long i = 0; i < expected.byteSize() / 4; i++) {
            int wanted = expected.getAtIndex(ValueLayout.JAVA_INT, i);
            int got = actual.getAtIndex(ValueLayout.JAVA_INT, i);
            boolean bothNaN = Float.isNaN(Float.intBitsToFloat(wanted)) && Float.isNaN(Float.intBitsToFloat(got));
            if (wanted != got && !bothNaN) {
                assertEquals(
                        Float.intBitsToFloat(wanted), Float.intBitsToFloat(got), "element " + i + " of " + program);
                assertEquals(wanted, got, "bits of element " + i + " of " + program);
            }
        }
    }

    @Test
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void randomProgramsComputeTheSameBitsOnAvx2() {
        try (CodeArena code = new CodeArena(new CodeMap(null))) {
            agree("avx2", new X86Lowering(Target.AVX2, Machine.platform().features(), code), 1, PROGRAMS, PROGRAMS / 2);
        }
    }

    @Test
    @EnabledIf("dev.millrace.codegen.code.Machine#runsAvx512")
    void randomProgramsComputeTheSameBitsOnAvx512() {
        try (CodeArena code = new CodeArena(new CodeMap(null))) {
            var lowering = new X86Lowering(Target.AVX512, Machine.platform().features(), code);
            agree("avx512", lowering, 1, PROGRAMS, PROGRAMS / 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void randomProgramsComputeTheSameBitsOnTheVectorApi(int bits) {
        agree("vector api, " + bits + " bits", new VectorApiLowering(bits), 5, PROGRAMS / 5, PROGRAMS / 5);
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void randomProgramsInManyMethodsComputeTheSameBits(int bits) {
        agree(
                "vector api in many methods, " + bits + " bits",
                SmallMethods.ofBits(bits),
                5,
                PROGRAMS / 10,
                PROGRAMS / 10);
    }

    /**
     * Runs random programs with different counts of lanes.
     *
     * @param step from one count to the next
     * @param programs how many are written
     * @param atLeast how many programs must not need too many registers
     */
    private static void agree(String name, Lowering lowering, int step, int programs, int atLeast) {
        Target target = lowering.target();
        PlainLowering plain = new PlainLowering(target);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate((long) RandomProgram.INPUTS * target.vectorBytes() + 64, 64);
            MemorySegment expected = arena.allocate((long) RandomProgram.OUTPUTS * target.vectorBytes(), 64);
            MemorySegment actual = arena.allocate(expected.byteSize(), 64);
            int run = 0;
            for (int seed = 0; seed < programs; seed++) {
                Program program = RandomProgram.of(seed, target);
                CompiledKernel kernel;
                try {
                    kernel = lowering.lower(List.of(program)).get(0);
                } catch (IllegalArgumentException tooManyRegisters) {
                    assertTrue(tooManyRegisters.toString().contains(program.name()));
                    continue;
                }
                CompiledKernel oracle = plain.lower(List.of(program)).get(0);
                Random random = new Random(seed);
                for (int count = 0; count <= target.lanes(); count += step) {
                    fill(in, random);
                    run(oracle, plain.newMemory(), in, expected, count);
                    run(kernel, lowering.newMemory(), in, actual, count);
                    assertSame(expected, actual, program);
                }
                run++;
            }
            System.out.printf("%d random programs agree with the interpreter at %s%n", run, name);
            assertTrue(run >= atLeast, "only " + run);
        }
    }

    /** The processor that the instructions are for need not be here: an emulator runs them. */
    @Test
    void randomProgramsComputeTheSameBitsOnAvx512InTheEmulator() {
        agree("avx512, emulated", new EmulatedLowering(), 3, PROGRAMS, PROGRAMS);
    }

    private static void run(CompiledKernel kernel, Memory memory, MemorySegment in, MemorySegment out, int count) {
        out.fill((byte) 7);
        kernel.call(memory, memory.pointer(in), memory.pointer(out), count, count % 2, 0, 0);
    }
}
