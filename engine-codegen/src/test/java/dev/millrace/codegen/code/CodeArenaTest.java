package dev.millrace.codegen.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Label;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.ScalarOps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
class CodeArenaTest {
    private static RelocatableCode returning(String name, int value) {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Imm.of(value));
        assembler.emit(ScalarOps.RET);
        return new RelocatableCode(name, assembler.finish());
    }

    /** Weighs its six arguments with the powers of ten. */
    private static RelocatableCode weighing() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        Gpr[] arguments = {Gpr.RDI, Gpr.RSI, Gpr.RDX, Gpr.RCX, Gpr.R8, Gpr.R9};
        assembler.emit(ScalarOps.XOR, Gpr.RAX.dword(), Gpr.RAX.dword());
        for (Gpr argument : arguments) {
            assembler.emit(ScalarOps.IMUL, Gpr.RAX, Gpr.RAX, Imm.of(10));
            assembler.emit(ScalarOps.ADD, Gpr.RAX, argument);
        }
        assembler.emit(ScalarOps.RET);
        return new RelocatableCode("weighing", assembler.finish());
    }

    /** Tells through memory that it runs, and ends when memory tells it to. */
    private static RelocatableCode waiting() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Imm.of(1));
        assembler.emit(ScalarOps.MOV, Mem.at(Gpr.RDI), Gpr.RAX);
        Label loop = assembler.here();
        assembler.emit(ScalarOps.PAUSE);
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Mem.at(Gpr.RDI, 8));
        assembler.emit(ScalarOps.TEST, Gpr.RAX, Gpr.RAX);
        assembler.jump(Cond.EQUAL, loop);
        assembler.emit(ScalarOps.RET);
        return new RelocatableCode("waiting", assembler.finish());
    }

    @Test
    void callsPassSixArgumentsInOrder() {
        try (CodeArena arena = new CodeArena(new CodeMap(null))) {
            MachineFunction function = arena.install(weighing());
            assertEquals(123456, function.call(1, 2, 3, 4, 5, 6));
        }
    }

    @Test
    void aFunctionOfAClosedArenaCannotBeCalled() {
        CodeArena arena = new CodeArena(new CodeMap(null));
        MachineFunction function = arena.install(returning("seven", 7));
        assertEquals(7, function.call(0, 0, 0, 0, 0, 0));
        arena.close();
        arena.close();
        assertThrows(IllegalStateException.class, () -> function.call(0, 0, 0, 0, 0, 0));
        assertThrows(IllegalStateException.class, () -> arena.install(returning("eight", 8)));
    }

    @Test
    void anArenaWithARunningFunctionDoesNotClose() {
        try (Arena memory = Arena.ofShared();
                CodeArena arena = new CodeArena(new CodeMap(null))) {
            MemorySegment flags = memory.allocate(16, 8);
            MachineFunction function = arena.install(waiting());
            CompletableFuture<Long> call =
                    CompletableFuture.supplyAsync(() -> function.call(flags.address(), 0, 0, 0, 0, 0));
            var word = ValueLayout.JAVA_LONG.varHandle();
            while ((long) word.getVolatile(flags, 0L) == 0) {
                Thread.onSpinWait();
            }
            assertThrows(IllegalStateException.class, arena::close);
            word.setVolatile(flags, 8L, 5L);
            assertEquals(5, call.join());
        }
    }

    @Test
    void noPageOfCodeIsWritable() throws IOException {
        try (CodeArena arena = new CodeArena(new CodeMap(null))) {
            long address = arena.install(returning("seven", 7)).address();
            String mapping = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> contains(line, address))
                    .findFirst()
                    .orElseThrow();
            assertTrue(mapping.contains(" r-xp "), mapping);
        }
    }

    /** A line begins with the first address of a mapping and the one after its last. */
    private static boolean contains(String line, long address) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-");
        return Long.parseUnsignedLong(range[0], 16) <= address && address < Long.parseUnsignedLong(range[1], 16);
    }

    @Test
    void codeThatCouldNotBeWrittenDownIsForgottenWithItsArena(@TempDir Path folder) {
        CodeMap map = new CodeMap(folder);
        try (CodeArena arena = new CodeArena(map)) {
            assertThrows(UncheckedIOException.class, () -> arena.install(returning("one", 1)));
        }
        assertEquals("", map.toString());
    }

    @Test
    void theMapNamesCodeByAddressWhileItExists(@TempDir Path folder) throws IOException {
        Path perf = folder.resolve("perf.map");
        CodeMap map = new CodeMap(perf);
        long second;
        try (CodeArena arena = new CodeArena(map)) {
            List<MachineFunction> functions = arena.install(List.of(returning("one", 1), returning("two", 2)));
            assertEquals(1, functions.get(0).call(0, 0, 0, 0, 0, 0));
            assertEquals(2, functions.get(1).call(0, 0, 0, 0, 0, 0));
            second = functions.get(1).address();
            assertEquals(0, second % 64);
            assertEquals("two+3", map.describe(second + 3));
            assertNull(map.describe(second + 64));
            assertTrue(map.toString().contains(" one\n"), map.toString());
            assertTrue(Files.readString(perf).contains(Long.toHexString(second) + " 8 two"), Files.readString(perf));
        }
        assertNull(map.describe(second));
    }
}
