package dev.millrace.codegen.program.plain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** {@link Exploration} detects errors in kernels. */
class ExplorationTest {
    private static final PlainLowering PLAIN = new PlainLowering(Target.PLAIN);

    private static Program program(Consumer<ProgramBuilder> steps) {
        ProgramBuilder builder = new ProgramBuilder("test", Target.PLAIN);
        steps.accept(builder);
        return builder.build();
    }

    /** Copies floats from a pointer in a block of arguments and adds a number. */
    private static Program copy(float added, int at) {
        return program(builder -> {
            ScalarVar block = builder.parameter("block");
            ScalarVar to = builder.parameter("to");
            ScalarVar from = builder.loadLong(Address.at(block, 8), "from");
            builder.store(Address.at(to, at), builder.add(builder.load(Address.at(from, -4)), Constant.of(added)));
        });
    }

    private static Exploration explored(Program program) {
        Exploration found = Exploration.of(program, 3);
        assertNotNull(found);
        return found;
    }

    private static void check(Exploration exploration, Program program) {
        try (Arena arena = Arena.ofShared()) {
            exploration.check(PLAIN.lower(List.of(program)).get(0), PLAIN.newMemory(), new GuardedMemory(arena));
        }
    }

    @Test
    void pointersAreFoundInMemoryToo() {
        Exploration exploration = explored(copy(1, 4));
        assertEquals(8 + 2 * Target.PLAIN.vectorBytes(), exploration.bytes());
        check(exploration, copy(1, 4));
    }

    @Test
    void otherValuesAreNoticed() {
        Exploration exploration = explored(copy(1, 4));
        assertThrows(AssertionError.class, () -> check(exploration, copy(2, 4)));
    }

    @Test
    void otherPlacesAreNoticed() {
        Exploration exploration = explored(copy(1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> check(exploration, copy(1, 8)));
    }

    @Test
    void aProgramThatAcceptsNothingIsGivenUp() {
        assertNull(Exploration.of(
                program(builder -> {
                    ScalarVar count = builder.scalar("count");
                    builder.set(count, 1 + Target.PLAIN.lanes());
                    builder.prefixMask(count);
                }),
                3));
    }
}
