package dev.millrace.kernels.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class CopierTest {
    private static final Kernels KERNELS = Kernels.open(System::getProperty);

    private static int[] copied(StridedCopy copy, int... numbers) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_INT, numbers);
            MemorySegment to = arena.allocate(copy.bytes(), 4);
            new Copier(KERNELS.set(), copy).run(from, to, Parallel.NONE);
            return to.toArray(ValueLayout.JAVA_INT);
        }
    }

    @Test
    void operatorsOnLayoutsMoveWhatTheySay() {
        assertArrayEquals(
                new int[] {0, 3, 1, 4, 2, 5}, copied(Copies.transpose(4, new long[] {2, 3}, 1, 0), 0, 1, 2, 3, 4, 5));
        long[] four = {4};
        assertArrayEquals(
                new int[] {3, 1},
                copied(Copies.slice(4, four, new long[] {3}, new long[] {-2}, new long[] {2}), 0, 1, 2, 3));
        assertArrayEquals(new int[] {7, 7, 8, 8}, copied(Copies.expand(4, new long[] {2, 1}, new long[] {2, 2}), 7, 8));
        assertArrayEquals(new int[] {7, 8, 7, 8}, copied(Copies.tile(4, new long[] {2}, new long[] {2}), 7, 8));
        assertArrayEquals(new int[] {0, 1, 2, 3}, copied(Copies.spaceToDepth(4, 1, 1, 2, 2, 2), 0, 1, 2, 3));
        assertArrayEquals(
                new int[] {0, 2, 1, 3, 4, 6, 5, 7},
                copied(Copies.depthToSpace(4, 1, 4, 1, 2, 2, true), 0, 1, 2, 3, 4, 5, 6, 7));
    }

    @Test
    void wrongCopiesAreRefused() {
        long[] two = {2};
        assertThrows(IllegalArgumentException.class, () -> Copies.transpose(4, new long[] {2, 3}, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> StridedCopy.of(3, two, 0, two, 0, two));
        assertThrows(IllegalArgumentException.class, () -> StridedCopy.of(4, two, 0, new long[1], 0, two));
        assertThrows(IllegalArgumentException.class, () -> Copies.expand(4, two, new long[] {3}));
        assertThrows(IllegalArgumentException.class, () -> Copies.expand(4, two, new long[0]));
        assertThrows(IndexOutOfBoundsException.class, () -> Copies.slice(4, two, new long[] {1}, new long[] {1}, two));
        assertThrows(IndexOutOfBoundsException.class, () -> Copies.place(4, two, new long[] {3}, new long[] {2}));
    }

    @Test
    void sizesThatNoLongHoldsAreRefused() {
        long[] one = {1};
        long huge = 1L << 62;
        assertThrows(ArithmeticException.class, () -> StridedCopy.of(4, one, huge, one, 0, one));
        assertThrows(ArithmeticException.class, () -> StridedCopy.of(4, one, 0, one, huge, one));
        long[] five = {5, 4};
        assertThrows(
                ArithmeticException.class, () -> Copies.slice(4, five, new long[] {0, 0}, new long[] {huge, 1}, five));
        long[] eight = {2, 2, 2, 2, 2, 2, 2, 2};
        long[] far = {1L << 61, 1L << 61, 1L << 61, 1L << 61, 1L << 61, 1L << 61, 1L << 61, 1L << 61};
        long[] dense = Copies.denseStrides(eight);
        var round = new Copier(KERNELS.set(), StridedCopy.of(1, eight, 0, dense, 0, far));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(256);
            MemorySegment to = arena.allocate(256);
            assertThrows(ArithmeticException.class, () -> round.run(from, to, Parallel.NONE));
        }
    }

    @Test
    void stepsToNowhereDoNotMatter() {
        long[] four = {4};
        long[] one = {1};
        assertArrayEquals(
                new int[] {2},
                copied(Copies.slice(4, four, new long[] {2}, new long[] {Long.MAX_VALUE}, one), 0, 1, 2, 3));
    }

    @Test
    void nothingOutsideOfTheSegmentsIsTouched() {
        var copier = new Copier(KERNELS.set(), Copies.transpose(4, new long[] {4, 4}, 1, 0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment large = arena.allocate(64);
            MemorySegment small = arena.allocate(63);
            assertThrows(IndexOutOfBoundsException.class, () -> copier.run(small, large, Parallel.NONE));
            assertThrows(IndexOutOfBoundsException.class, () -> copier.run(large, small, Parallel.NONE));
            assertThrows(IllegalArgumentException.class, () -> copier.run(large, large, Parallel.NONE));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> copier.run(large, arena.allocate(64).asReadOnly(), Parallel.NONE));
        }
    }

    @Test
    void aWrongKeyNamesItsParameter() {
        KernelKey key = KernelKey.parse("layout.transpose:bytes=3,columns=1,dense=0,packed=0,rows=1");
        Exception wrong = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(key));
        assertTrue(String.valueOf(wrong.getMessage()).contains("bytes"));
        KernelKey fill = KernelKey.parse("layout.fill:bytes=5");
        Exception size = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(fill));
        assertTrue(String.valueOf(size.getMessage()).contains("bytes"));
        assertEquals("layout.fill", fill.family());
        KernelKey pixels = KernelKey.parse("layout.pixels:bytes=1,channels=5,planes=1");
        Exception channels = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(pixels));
        assertTrue(String.valueOf(channels.getMessage()).contains("channels"));
    }
}
