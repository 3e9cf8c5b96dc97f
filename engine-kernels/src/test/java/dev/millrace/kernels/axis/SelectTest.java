package dev.millrace.kernels.axis;

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
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class SelectTest {
    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofShared();

    @Test
    void intsAreSummedUpInPlace() {
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3, Integer.MAX_VALUE, 5, 6, 7, 8, 9, 10);
        PrefixSum sums = new PrefixSum(kernels.set(), new SumRule(SumRule.Type.INT, false, true));
        sums.run(AxisShape.rows(2, 5), data, data, Parallel.NONE);
        int wrapped = Integer.MAX_VALUE + 5;
        assertArrayEquals(
                new int[] {wrapped + 6, wrapped + 5, wrapped + 3, wrapped, 5, 40, 34, 27, 19, 10},
                data.toArray(ValueLayout.JAVA_INT));
    }

    @Test
    void productsDoNotRunFromTheEnd() {
        assertThrows(IllegalArgumentException.class, () -> new SumRule(SumRule.Type.INT_PRODUCT, false, true));
    }

    @Test
    void theFirstOrLastOfEqualOnesIsFound() {
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 3, 7, Float.NaN, 7, 1, 1, 2);
        assertArrayEquals(new long[] {1}, place(data, new Best(Best.Extreme.LARGEST, false)));
        assertArrayEquals(new long[] {3}, place(data, new Best(Best.Extreme.LARGEST, true)));
        assertArrayEquals(new long[] {4}, place(data, new Best(Best.Extreme.SMALLEST, false)));
        assertArrayEquals(new long[] {5}, place(data, new Best(Best.Extreme.SMALLEST, true)));
    }

    @Test
    void theWorstInfinityIsFoundBetweenNaNs() {
        for (int count : new int[] {3, 17, 300}) {
            float[] numbers = new float[count];
            Arrays.fill(numbers, Float.NaN);
            assertPlaces(numbers, 0, count - 1);
            numbers[1] = Float.NEGATIVE_INFINITY;
            numbers[count / 2] = Float.NEGATIVE_INFINITY;
            assertPlaces(numbers, 1, count / 2);
        }
    }

    private void assertPlaces(float[] numbers, long first, long last) {
        MemorySegment row = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
        int columns = 37;
        MemorySegment beside = arena.allocate(4L * numbers.length * columns, 4);
        for (int i = 0; i < numbers.length * columns; i++) {
            beside.setAtIndex(ValueLayout.JAVA_FLOAT, i, numbers[i / columns]);
        }
        for (boolean isLast : new boolean[] {false, true}) {
            Best best = new Best(Best.Extreme.LARGEST, isLast);
            long expected = isLast ? last : first;
            assertArrayEquals(new long[] {expected}, places(row, best, AxisShape.rows(1, numbers.length)));
            long[] all = new long[columns];
            Arrays.fill(all, expected);
            assertArrayEquals(all, places(beside, best, new AxisShape(1, numbers.length, columns)));
        }
    }

    private long[] place(MemorySegment data, Best best) {
        return places(data, best, AxisShape.rows(1, 7));
    }

    private long[] places(MemorySegment data, Best best, AxisShape shape) {
        MemorySegment out = arena.allocate(8 * shape.lines(), 8);
        new ArgBest(kernels.set(), best).run(shape, data, out, Parallel.NONE);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    @Test
    void shortAndLongRowsHaveTheirBest() {
        var random = new Random(5);
        int rows = 3;
        for (int count = 1; count < 300; count += 1 + count / 20) {
            MemorySegment data = arena.allocate(4L * rows * count, 4);
            int[] numbers = random.ints((long) rows * count, -count, count).toArray();
            for (int i = 0; i < numbers.length; i++) {
                data.setAtIndex(ValueLayout.JAVA_FLOAT, i, numbers[i]);
            }
            for (boolean last : new boolean[] {false, true}) {
                long[] places = places(data, new Best(Best.Extreme.LARGEST, last), AxisShape.rows(rows, count));
                for (int row = 0; row < rows; row++) {
                    int best = 0;
                    for (int i = 1; i < count; i++) {
                        int more = Integer.compare(numbers[row * count + i], numbers[row * count + best]);
                        best = more > 0 || last && more == 0 ? i : best;
                    }
                    assertEquals(best, places[row], "row " + row + " of " + count);
                }
            }
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        MemorySegment data = arena.allocate(40);
        MemorySegment other = arena.allocate(40);
        TopK top = new TopK(kernels.set(), Best.Extreme.LARGEST);
        AxisShape shape = AxisShape.rows(1, 10);
        assertThrows(
                IllegalArgumentException.class, () -> top.run(shape, 11, data, other, other, other, Parallel.NONE));
        assertThrows(
                IndexOutOfBoundsException.class, () -> top.run(shape, 6, data, other, other, other, Parallel.NONE));
        AxisShape far = new AxisShape(1, 16, 1 << 30);
        assertThrows(IllegalArgumentException.class, () -> top.run(far, 1, data, other, other, other, Parallel.NONE));
        MemorySegment scratch = arena.allocate(1000);
        MemorySegment places = arena.allocate(80);
        assertThrows(
                IllegalArgumentException.class, () -> top.run(shape, 4, data, other, other, scratch, Parallel.NONE));
        assertThrows(
                IllegalArgumentException.class, () -> top.run(shape, 4, data, other, scratch, scratch, Parallel.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> top.run(shape, 4, scratch, other, places, scratch, Parallel.NONE));
        top.run(shape, 4, data, other, places, scratch, Parallel.NONE);
        PrefixSum sums = new PrefixSum(kernels.set(), new SumRule(SumRule.Type.INT, false, false));
        AxisShape five = AxisShape.rows(1, 5);
        assertThrows(IllegalArgumentException.class, () -> sums.run(five, data, data.asSlice(4), Parallel.NONE));
        sums.run(five, data, data.asSlice(20), Parallel.NONE);
        ArgBest best = new ArgBest(kernels.set(), new Best(Best.Extreme.LARGEST, false));
        assertThrows(IllegalArgumentException.class, () -> best.run(AxisShape.rows(1, 0), data, other, Parallel.NONE));
        assertThrows(
                IndexOutOfBoundsException.class, () -> best.run(AxisShape.rows(1, 11), data, other, Parallel.NONE));
    }

    @Test
    void wrongKeysAreRefusedByName() {
        for (String wrong :
                new String[] {"select.row:extreme=most,last=0", "select.sums:type=text,exclusive=0,reverse=0"}) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> kernels.describe(KernelKey.parse(wrong)));
            assertTrue(refusal.toString().contains(wrong.substring(wrong.indexOf(':') + 1, wrong.indexOf('='))));
        }
    }
}
