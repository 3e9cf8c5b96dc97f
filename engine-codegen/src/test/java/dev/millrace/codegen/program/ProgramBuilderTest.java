package dev.millrace.codegen.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.codegen.program.x86.X86Lowering;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgramBuilderTest {
    @Test
    void aProgramIsWrittenDownForAReader() {
        ProgramBuilder builder = new ProgramBuilder("scale", Target.AVX2);
        ScalarVar data = builder.parameter("data");
        ScalarVar count = builder.parameter("count");
        try (var _ = builder.loop(count, 8)) {
            VectorVar doubled = builder.mul(builder.load(Address.at(data, 0)), Constant.of(2));
            builder.store(Address.at(data, 0), doubled);
            builder.advance(data, 32);
        }
        try (var _ = builder.ifNotZero(count)) {
            builder.prefetch(Address.at(data, -64));
        }
        String expected = """
            kernel scale(data.0, count.1) for avx2 {
                while count.1 >= 8, less 8 each time {
                    v.2 = [data.0]
                    v.3 = v.2 * 2.0
                    [data.0] = v.3
                    data.0 = data.0 + 32
                }
                if count.1 != 0 {
                    prefetch [data.0 - 64]
                }
            }
            """;
        assertEquals(expected, builder.build().toString());
    }

    @Test
    void readingWhatMayNotBeWrittenIsRefused() {
        ProgramBuilder never = new ProgramBuilder("never", Target.AVX2);
        never.store(Address.at(never.parameter("p"), 0), never.vector("x"));
        assertRefused(never, "kernel never reads x.1");

        ProgramBuilder sometimes = new ProgramBuilder("sometimes", Target.AVX2);
        ScalarVar pointer = sometimes.parameter("p");
        VectorVar x = sometimes.vector("x");
        try (var _ = sometimes.ifNotZero(pointer)) {
            sometimes.set(x, Constant.ZERO);
        }
        sometimes.store(Address.at(pointer, 0), x);
        assertRefused(sometimes, "kernel sometimes reads x.1");

        ProgramBuilder inLoop = new ProgramBuilder("loop", Target.AVX2);
        ScalarVar count = inLoop.parameter("n");
        VectorVar y = inLoop.vector("y");
        try (var _ = inLoop.loop(count, 1)) {
            inLoop.set(y, Constant.ZERO);
        }
        inLoop.store(Address.at(count, 0), y);
        assertRefused(inLoop, "kernel loop reads y.1");
    }

    @Test
    void buildingInsideOfABlockIsRefused() {
        ProgramBuilder builder = new ProgramBuilder("open", Target.AVX2);
        try (var _ = builder.loop(builder.parameter("n"), 1)) {
            assertRefused(builder, "kernel open is built inside of");
        }
        builder.build();
    }

    @Test
    void doublesAreStreamedAndHalvesAreNot() {
        ProgramBuilder builder = new ProgramBuilder("doubles", Target.AVX2);
        Address at = Address.at(builder.parameter("p"), 0);
        VectorVar x = builder.load(Element.F64, at, null);
        builder.stream(Element.F64, at, x);
        assertThrows(IllegalArgumentException.class, () -> builder.stream(Element.F16, at, x));
        assertTrue(builder.build().toString().contains("stream f64 [p.0] = v.1"), builder.build()::toString);
    }

    private static void assertRefused(ProgramBuilder builder, String reason) {
        Exception refusal = assertThrows(IllegalStateException.class, builder::build);
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
    }

    /** A program with so many vectors alive at once. */
    private static Program wide(int vectors) {
        ProgramBuilder builder = new ProgramBuilder("wide" + vectors, Target.AVX2);
        ScalarVar data = builder.parameter("data");
        VectorVar[] loaded = new VectorVar[vectors];
        for (int i = 0; i < vectors; i++) {
            loaded[i] = builder.load(Address.at(data, 32 * i));
        }
        for (int i = 0; i < vectors; i++) {
            builder.store(Address.at(data, 32 * i), loaded[i]);
        }
        return builder.build();
    }

    @Test
    void moreRegistersThanThereAreAreRefusedByName() {
        X86Lowering.assemble(wide(16), FeatureSet.all(), false);
        Exception refusal = assertThrows(
                IllegalArgumentException.class, () -> X86Lowering.assemble(wide(17), FeatureSet.all(), false));
        assertEquals(
                "kernel wide17 needs more than the 16 vector registers that there are: make its tile smaller",
                refusal.getMessage());
    }

    @Test
    void theInterpreterRefusesToLeaveASegment() {
        PlainLowering plain = new PlainLowering(Target.PLAIN);
        CompiledKernel kernel = plain.lower(List.of(wide(2))).get(0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment short60 = arena.allocate(60, 4);
            Memory memory = plain.newMemory();
            long pointer = memory.pointer(short60);
            assertThrows(IndexOutOfBoundsException.class, () -> kernel.call(memory, pointer, 0, 0, 0, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> kernel.call(memory, pointer - 4, 0, 0, 0, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> kernel.call(memory, 4096, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void aProgramThatGrowsWithoutEndIsRefusedByName() {
        ProgramBuilder builder = new ProgramBuilder("endless", Target.AVX2);
        VectorVar value = builder.vector("value");
        Exception refusal = assertThrows(IllegalArgumentException.class, () -> {
            while (true) {
                builder.set(value, Constant.ZERO);
            }
        });
        assertTrue(refusal.toString().contains("endless"), refusal.toString());
    }

    @Test
    void aScalarIsShiftedByLessThanItsBits() {
        ProgramBuilder builder = new ProgramBuilder("shift", Target.AVX2);
        ScalarVar number = builder.parameter("number");
        builder.scalar(number, ScalarOp.SHR, number, 63);
        assertThrows(IllegalArgumentException.class, () -> builder.scalar(number, ScalarOp.SHR, number, 64));
        assertThrows(IllegalArgumentException.class, () -> builder.scalar(number, ScalarOp.SHL, number, -1));
    }
}
