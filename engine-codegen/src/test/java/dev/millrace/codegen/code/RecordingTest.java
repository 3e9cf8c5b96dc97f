package dev.millrace.codegen.code;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.ScalarOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
class RecordingTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final CodeArena code = new CodeArena(new CodeMap(null));
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment total = arena.allocate(LONG, 4);
    private MachineFunction adding;
    private Recording recording;

    @BeforeEach
    void emit() {
        adding = code.install(new RelocatableCode("adding", adding()));
        recording = new Recording(new CallPlayer(code));
    }

    @AfterEach
    void close() {
        code.close();
        arena.close();
    }

    /** Makes ten times the number at its first argument, and adds what is at its second one and the four others. */
    private static byte[] adding() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Mem.at(Gpr.RDI));
        assembler.emit(ScalarOps.IMUL, Gpr.RAX, Gpr.RAX, Imm.of(10));
        assembler.emit(ScalarOps.ADD, Gpr.RAX, Mem.at(Gpr.RSI));
        for (Gpr argument : new Gpr[] {Gpr.RDX, Gpr.RCX, Gpr.R8, Gpr.R9}) {
            assembler.emit(ScalarOps.ADD, Gpr.RAX, argument);
        }
        assembler.emit(ScalarOps.MOV, Mem.at(Gpr.RDI), Gpr.RAX);
        assembler.emit(ScalarOps.RET);
        return assembler.finish();
    }

    private void add(MemorySegment block, long more) {
        long at = Recording.arguments(block, block.address());
        Recording own = Recording.ofThread();
        if (own != null) {
            own.add(adding, total.address(), at, more, 0, 0, 0);
        }
        if (!Recording.skipsCalls()) {
            adding.call(total.address(), at, more, 0, 0, 0);
        }
    }

    private long total() {
        return total.get(LONG, 0);
    }

    @Test
    void callsAreMadeAgainInTheirOrder() {
        MemorySegment one = arena.allocateFrom(LONG, 1);
        recording.prewarm(() -> {
            add(one, 0);
            add(one, 1);
            add(one, 2);
        });
        assertEquals(3, recording.count());
        total.set(LONG, 0, 5);
        recording.play();
        assertEquals(5123, total());
        assertNull(Recording.ofThread());
    }

    @Test
    void aRehearsalMakesNoCalls() {
        MemorySegment one = arena.allocateFrom(LONG, 1);
        total.set(LONG, 0, 5);
        recording.prewarm(() -> {
            assertTrue(Recording.skipsCalls());
            Recording.clear(total);
            Recording.copy(one, total.asSlice(0, 8));
            recording.add(adding, total.address(), one.address(), 2, 0, 0, 0);
        });
        assertFalse(Recording.skipsCalls());
        assertEquals(5, total());
        recording.play();
        assertEquals(13, total());
    }

    @Test
    void practiceMakesNoCallsAndLeavesNone() {
        total.set(LONG, 0, 5);
        MemorySegment one = arena.allocateFrom(LONG, 1);
        Recording.practise(() -> {
            assertNull(Recording.ofThread());
            assertTrue(Recording.skipsCalls());
            Recording.clear(total);
            Recording.copy(one, total.asSlice(0, 8));
            assertEquals(one.address(), Recording.arguments(one, one.address()));
        });
        assertFalse(Recording.skipsCalls());
        assertEquals(5, total());
    }

    @Test
    void manyCallsDoNotFitTheFirstTable() {
        MemorySegment zero = arena.allocateFrom(LONG, 0);
        recording.prewarm(() -> {
            for (int i = 0; i < 1000; i++) {
                total.set(LONG, 0, 0);
                Recording.clear(total);
                add(zero, i);
            }
        });
        recording.play();
        assertEquals(2000, recording.count());
        assertEquals(999, total());
    }

    @Test
    void argumentsStayAsTheyWere() {
        MemorySegment block = arena.allocateFrom(LONG, 7);
        recording.prewarm(() -> {
            add(block, 0);
            block.set(LONG, 0, 8);
            add(block, 0);
        });
        block.set(LONG, 0, 9);
        total.set(LONG, 0, 0);
        recording.play();
        assertEquals(78, total());
    }

    @Test
    void whereNothingIsRecordedArgumentsStayWhereTheyAre() {
        MemorySegment block = arena.allocateFrom(LONG, 7);
        assertEquals(block.address(), Recording.arguments(block, block.address()));
    }

    @Test
    void copiesAndZerosAreMadeAgain() {
        MemorySegment from = arena.allocateFrom(LONG, 1, 2, 3);
        MemorySegment to = arena.allocateFrom(LONG, 9, 9, 9, 9);
        recording.prewarm(() -> {
            Recording.copy(from, to.asSlice(0, 24));
            Recording.clear(to.asSlice(8, 8));
        });
        from.set(LONG, 0, 4);
        from.set(LONG, 8, 5);
        to.fill((byte) 1);
        recording.play();
        assertEquals(4, to.get(LONG, 0));
        assertEquals(0, to.get(LONG, 8));
        assertEquals(3, to.get(LONG, 16));
        assertEquals(0x0101010101010101L, to.get(LONG, 24));
    }

    @Test
    void copiesAndZerosEndWhereTheyShould() {
        MemorySegment from = arena.allocate(32);
        MemorySegment to = arena.allocate(32);
        for (int bytes = 0; bytes < 20; bytes++) {
            int count = bytes;
            var some = new Recording(new CallPlayer(code));
            some.prewarm(() -> {
                Recording.clear(to.asSlice(1, count + 5));
                Recording.copy(from.asSlice(3, count), to.asSlice(2, count));
            });
            for (int i = 0; i < 32; i++) {
                from.set(ValueLayout.JAVA_BYTE, i, (byte) (100 + i));
                to.set(ValueLayout.JAVA_BYTE, i, (byte) i);
            }
            some.play();
            for (int i = 0; i < 32; i++) {
                int expected = i < 1 || i >= count + 6 ? i : i >= 2 && i < count + 2 ? 101 + i : 0;
                assertEquals((byte) expected, to.get(ValueLayout.JAVA_BYTE, i), "byte " + i + " of " + count);
            }
        }
    }

    @Test
    void theLastCallsCanBeCutOff() {
        MemorySegment one = arena.allocateFrom(LONG, 1);
        recording.prewarm(() -> add(one, 0));
        recording.prewarm(() -> {
            add(one, 5);
            recording.tasks(2, task -> add(one, task));
            assertSame(recording, Recording.ofThread());
        });
        recording.cutTo(1);
        recording.play((from, stretch, tasks, nanos) -> fail("its tasks were cut off"));
        assertEquals(1, total());
    }

    /** Each task adds to a number of its own; what stands before and behind them copies these. */
    @Test
    void tasksAreSharedByThreads() {
        int tasks = 7;
        MemorySegment one = arena.allocateFrom(LONG, 1);
        MemorySegment sums = arena.allocate(LONG, tasks);
        MemorySegment between = arena.allocate(LONG, tasks);
        MemorySegment copy = arena.allocate(LONG, tasks);
        recording.prewarm(() -> {
            Recording.clear(sums);
            recording.tasks(tasks, task -> addTo(sums, task, one));
            Recording.copy(sums, between);
            recording.tasks(1, task -> addTo(sums, 6, one));
            recording.tasks(tasks, task -> {
                addTo(sums, task, one);
                // what a task has of tasks it does by itself
                recording.tasks(2, inner -> addTo(sums, task, one));
            });
            Recording.copy(sums, copy);
        });
        List<Integer> shared = Collections.synchronizedList(new ArrayList<>());
        for (int round = 0; round < 20; round++) {
            recording.play((from, stretch, count, nanos) -> {
                assertSame(recording, from);
                shared.add(count);
                IntStream.range(0, count).parallel().forEach(task -> from.play(stretch, task, task + 1));
            });
            assertArrayEquals(new long[] {1, 1, 1, 1, 1, 1, 1}, between.toArray(LONG));
            assertArrayEquals(new long[] {1111, 1111, 1111, 1111, 1111, 1111, 11111}, copy.toArray(LONG));
        }
        assertEquals(List.of(7, 1, 7), shared.subList(0, 3));
        copy.fill((byte) 0);
        recording.play();
        assertArrayEquals(new long[] {1111, 1111, 1111, 1111, 1111, 1111, 11111}, copy.toArray(LONG));
    }

    private void addTo(MemorySegment sums, int place, MemorySegment number) {
        MemorySegment sum = sums.asSlice(8L * place, 8);
        Objects.requireNonNull(Recording.ofThread()).add(adding, sum.address(), number.address(), 0, 0, 0, 0);
    }

    @Test
    void someCallsArePlayedBeforeOthersAreKnown() {
        MemorySegment one = arena.allocateFrom(LONG, 1);
        MemorySegment sums = arena.allocate(LONG, 2);
        Recording.Sharing sharing = (from, stretch, tasks, nanos) -> from.play(stretch, 0, tasks);
        recording.prewarm(() -> recording.tasks(2, task -> addTo(sums, task, one)));
        recording.playAfter(0, sharing);
        assertArrayEquals(new long[] {1, 1}, sums.toArray(LONG));
        int known = recording.count();
        recording.prewarm(() -> {
            addTo(sums, 0, one);
            recording.tasks(2, task -> addTo(sums, task, one));
            addTo(sums, 1, one);
        });
        recording.playAfter(known, sharing);
        assertArrayEquals(new long[] {111, 111}, sums.toArray(LONG));
        recording.play(sharing);
        assertArrayEquals(new long[] {111111, 111111}, sums.toArray(LONG));
    }

    @Test
    void manyTasksInARowMayBeDoneAtOnce() {
        MemorySegment one = arena.allocateFrom(LONG, 1);
        MemorySegment sums = arena.allocate(LONG, 100);
        recording.prewarm(() -> recording.tasks(100, task -> {
            if (task % 3 != 0) {
                addTo(sums, task, one);
            }
        }));
        recording.play((from, stretch, count, nanos) -> {
            from.play(stretch, 40, count);
            from.play(stretch, 0, 40);
        });
        for (int task = 0; task < 100; task++) {
            assertEquals(task % 3 == 0 ? 0 : 1, sums.getAtIndex(LONG, task));
        }
    }

    @Test
    void aFailureEndsTheRecordingOfTheThread() {
        assertThrows(
                IllegalStateException.class,
                () -> recording.prewarm(() -> {
                    throw new IllegalStateException("stop");
                }));
        assertNull(Recording.ofThread());
    }
}
