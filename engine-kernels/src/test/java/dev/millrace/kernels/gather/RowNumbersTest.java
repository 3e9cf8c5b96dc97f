package dev.millrace.kernels.gather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowNumbersTest {
    private final Arena arena = Arena.ofConfined();
    private final Kernels kernels = Kernels.open(System::getProperty);
    private final RowNumbers numbers = new RowNumbers(kernels.set());

    @AfterEach
    void close() {
        kernels.close();
        arena.close();
    }

    private void assertWrong(long limit, long[] indices, String message) {
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_LONG, indices);
        MemorySegment table = arena.allocate(RowNumbers.tableBytes(indices.length));
        IndexList list = new IndexList(data, true, indices.length);
        IndexOutOfBoundsException wrong =
                assertThrows(IndexOutOfBoundsException.class, () -> numbers.ofIndices(list, limit, table));
        assertTrue(wrong.toString().contains(message), wrong.toString());
    }

    @Test
    void aWrongIndexIsNamedWithItsPlace() {
        assertWrong(5, new long[] {0, -5, 4, 5}, "index 5 at place 3 is out of range: it can be -5 to 4");
        assertWrong(5, new long[] {0, -6}, "index -6 at place 1");
        assertWrong(5, new long[] {1L << 32}, "index 4294967296 at place 0");
        assertWrong(5, new long[] {1, 2, 3, 4, 0, 1, 2, 3, 4, 0, Long.MIN_VALUE}, "at place 10");
        assertWrong(0, new long[] {0}, "there are no rows");
    }

    @Test
    void tuplesThatDoNotComeOutEvenAreRefused() {
        IndexList three = new IndexList(arena.allocate(12, 4), false, 3);
        MemorySegment table = arena.allocate(64);
        IllegalArgumentException wrong =
                assertThrows(IllegalArgumentException.class, () -> numbers.ofTuples(three, new long[] {2, 2}, table));
        assertEquals("3 indices are no tuples of 2", wrong.getMessage());
    }

    @Test
    void rowsThatAreNoFloatsCannotBeAdded() {
        MemorySegment memory = arena.allocate(64);
        MemorySegment other = arena.allocate(64);
        assertThrows(
                IllegalArgumentException.class,
                () -> new RowGather(kernels.set())
                        .scatter(memory, 1, memory, RowMove.Update.ADD, other, 2, 6, Parallel.NONE));
    }

    @Test
    void elementsOfAnySizeGoToTheirPlacesInOrder() {
        int count = 150;
        MemorySegment table = arena.allocate(4 * count, 4);
        for (int i = 0; i < count; i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, i, i * 7 % 100);
        }
        for (int width : new int[] {1, 2, 3, 4, 8, 16}) {
            MemorySegment segment = arena.allocate(count * width);
            MemorySegment out = arena.allocate(100 * width);
            MemorySegment expected = arena.allocate(100 * width);
            for (int i = 0; i < segment.byteSize(); i++) {
                segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
            }
            for (int i = 0; i < count; i++) {
                MemorySegment.copy(segment, i * width, expected, i * 7 % 100 * width, width);
            }
            new RowGather(kernels.set())
                    .scatter(table, count, segment, RowMove.Update.SET, out, 100, width, Parallel.NONE);
            assertEquals(-1, out.mismatch(expected), "elements of " + width + " bytes");
        }
    }

    @Test
    void tablesAreNotWrittenOver() {
        MemorySegment memory = arena.allocate(64);
        MemorySegment other = arena.allocate(64);
        RowGather rows = new RowGather(kernels.set());
        assertThrows(
                IllegalArgumentException.class, () -> rows.gather(memory, 2, other, 1, 4, 8, memory, Parallel.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> rows.scatter(memory, 2, other, RowMove.Update.SET, memory, 4, 8, Parallel.NONE));
    }

    private void assertWrongElement(long[] dims, long[] dataDims, int axis, String message, long... indices) {
        MemorySegment list = arena.allocateFrom(ValueLayout.JAVA_LONG, indices);
        MemorySegment data = arena.allocate(64);
        MemorySegment out = arena.allocate(64);
        Exception wrong = assertThrows(
                RuntimeException.class,
                () -> new SingleElementGather(kernels.set())
                        .gather(
                                new IndexList(list, true, indices.length),
                                new ElementShape(dims, dataDims, axis),
                                data,
                                out,
                                Parallel.NONE));
        assertTrue(wrong.toString().contains(message), wrong.toString());
    }

    @Test
    void elementsThatAreNotThereAreRefused() {
        long[] dims = {2, 2};
        long[] dataDims = {2, 3};
        assertWrongElement(dims, dataDims, 1, "index 3 at place 3", 0, 1, -3, 3);
        assertWrongElement(dims, dataDims, 0, "index -3 at place 2", 0, 1, -3, 3);
        assertWrongElement(dims, dataDims, 1, "index 8589934592 at place 0", 1L << 33, 0, 0, 0);
        assertWrongElement(dims, new long[] {2, 0}, 1, "there are no rows", 0, 0, 0, 0);
        assertWrongElement(dims, new long[] {1, 3}, 1, "the indices have 2 in dimension 0", 0, 0, 0, 0);
        assertWrongElement(dims, dataDims, 2, "choose along axis 2", 0, 0, 0, 0);
        assertWrongElement(dims, dataDims, 1, "there are 3 indices", 0, 0, 0);
        assertWrongElement(new long[] {2, -2}, dataDims, 1, "[2, -2]", 0, 0, 0, 0);
    }
}
