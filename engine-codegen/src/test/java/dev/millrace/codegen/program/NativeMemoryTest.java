package dev.millrace.codegen.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.CodeArena;
import dev.millrace.codegen.code.CodeMap;
import dev.millrace.codegen.code.Machine;
import dev.millrace.codegen.program.x86.X86Lowering;
import dev.millrace.memory.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Memory that somebody may free is held by calls that were given its address. */
class NativeMemoryTest {
    private static final long BYTES = Target.AVX2.vectorBytes();
    /** Some tenths of a second. */
    private static final long LONG_LOOP = 1_000_000_000;

    @Test
    void onlyMemoryOfSharedArenasIsToBeHeld() {
        var memory = new NativeMemory();
        memory.pointer(Arena.ofAuto().allocate(BYTES));
        memory.pointer(Arena.global().allocate(BYTES));
        try (Arena confined = Arena.ofConfined();
                Arena shared = Arena.ofShared()) {
            memory.pointer(confined.allocate(BYTES));
            assertNull(NativeMemory.toHold(memory, "kernel"));
            MemorySegment segment = shared.allocate(BYTES);
            memory.pointer(segment);
            memory.pointer(shared.allocate(BYTES));
            MemorySegment[] held = NativeMemory.toHold(memory, "kernel");
            assertTrue(held != null && held[0].equals(segment) && held[1].equals(MemorySegment.NULL));
        }
    }

    @Test
    void memoryOfMoreArenasThanACallHoldsIsRefused() {
        var memory = new NativeMemory();
        var arenas = new ArrayList<Arena>();
        for (int i = 0; i < Calls.MOST_HELD; i++) {
            arenas.add(Arena.ofShared());
            memory.pointer(arenas.getLast().allocate(BYTES));
        }
        arenas.add(Arena.ofShared());
        MemorySegment more = arenas.getLast().allocate(BYTES);
        Exception refusal = assertThrows(IllegalArgumentException.class, () -> memory.pointer(more));
        assertTrue(String.valueOf(refusal.getMessage()).contains("more than " + Calls.MOST_HELD + " arenas"));
        arenas.forEach(Arena::close);
    }

    /** f(flag, count): shows that it has begun, and goes on for a while. */
    private static CompiledKernel spinning(CodeArena code) {
        var builder = new ProgramBuilder("spinning", Target.AVX2);
        ScalarVar flag = builder.parameter("flag");
        ScalarVar count = builder.parameter("count");
        VectorVar one = builder.vector("one");
        builder.set(one, Constant.of(1));
        builder.store(Address.at(flag, 0), one);
        try (var _ = builder.loop(count, 1)) {
            builder.store(Address.at(flag, 0), one);
        }
        var lowering = new X86Lowering(Target.AVX2, Machine.platform().features(), code);
        return lowering.lower(List.of(builder.build())).getFirst();
    }

    @Test
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void anArenaIsNotClosedUnderACall() throws InterruptedException {
        try (CodeArena code = new CodeArena(new CodeMap(null))) {
            CompiledKernel kernel = spinning(code);
            Arena arena = Arena.ofShared();
            MemorySegment flag = arena.allocate(BYTES, BYTES);
            Thread caller = Thread.ofPlatform().start(() -> {
                var memory = new NativeMemory();
                kernel.call(memory, memory.pointer(flag), LONG_LOOP, 0, 0, 0, 0);
            });
            while (flag.get(ValueLayout.JAVA_FLOAT, 0) != 1) {
                Thread.onSpinWait();
            }
            assertThrows(IllegalStateException.class, arena::close);
            caller.join();
            arena.close();
        }
    }

    @Test
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void aCallOfMemoryThatIsClosedSinceIsRefused() {
        try (CodeArena code = new CodeArena(new CodeMap(null))) {
            CompiledKernel kernel = spinning(code);
            var memory = new NativeMemory();
            Arena arena = Arena.ofShared();
            long pointer = memory.pointer(arena.allocate(BYTES, BYTES));
            kernel.call(memory, pointer, 1, 0, 0, 0, 0);
            arena.close();
            Exception refusal =
                    assertThrows(IllegalStateException.class, () -> kernel.call(memory, pointer, 1, 0, 0, 0, 0));
            assertEquals("Already closed", refusal.getMessage());
        }
    }
}
