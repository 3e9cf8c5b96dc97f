package dev.millrace.kernels.softmax;

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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class SoftmaxTest {
    private static final int AXIS = 21;

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofShared();

    private Softmax softmax(boolean log) {
        return log ? Softmax.logarithm(kernels.set()) : Softmax.of(kernels.set());
    }

    /** Returns the softmax of a line of equal numbers except for one, along the last axis or across it. */
    private float[] line(boolean log, boolean column, float all, float one, int place) {
        int inner = column ? 2 : 1;
        float[] numbers = new float[AXIS * inner];
        Arrays.fill(numbers, all);
        numbers[place * inner] = one;
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
        softmax(log).run(data, data, 1, AXIS, inner, Parallel.NONE);
        float[] line = new float[AXIS];
        for (int i = 0; i < AXIS; i++) {
            line[i] = data.getAtIndex(ValueLayout.JAVA_FLOAT, i * inner);
        }
        return line;
    }

    @Test
    void oneNaNOrPositiveInfinityMakesTheWholeLineNaN() {
        for (boolean column : new boolean[] {false, true}) {
            for (boolean log : new boolean[] {false, true}) {
                for (int place = 0; place < AXIS; place++) {
                    for (float one : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
                        for (float result : line(log, column, 1, one, place)) {
                            boolean behindInfinity = log && result == Float.NEGATIVE_INFINITY;
                            assertTrue(Float.isNaN(result) || behindInfinity && one > 0, one + " at " + place);
                        }
                    }
                }
            }
        }
    }

    @Test
    void aLineOfNegativeInfinitiesIsNaN() {
        for (boolean column : new boolean[] {false, true}) {
            float least = Float.NEGATIVE_INFINITY;
            assertTrue(Float.isNaN(line(false, column, least, least, 0)[5]));
            assertTrue(Float.isNaN(line(true, column, least, least, 0)[5]));
            assertEquals(1, line(false, column, least, -3e38f, 7)[7]);
            assertEquals(0, line(false, column, least, -3e38f, 7)[8]);
            assertEquals(least, line(true, column, least, 3, 7)[8]);
        }
    }

    @Test
    void numbersFarApartDoNotOverflow() {
        for (boolean column : new boolean[] {false, true}) {
            assertEquals(1, line(false, column, -3e38f, 3e38f, 2)[2]);
            assertEquals(0, line(false, column, -3e38f, 3e38f, 2)[3]);
            assertEquals(0, line(true, column, -1e38f, 1e38f, 2)[2]);
            assertEquals(-2e38f, line(true, column, -1e38f, 1e38f, 2)[3]);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Softmax softmax = softmax(false);
        MemorySegment data = arena.allocate(64, 4);
        MemorySegment other = arena.allocate(64, 4);
        assertThrows(IllegalArgumentException.class, () -> softmax.run(data, other, -1, 4, 1, Parallel.NONE));
        assertThrows(IndexOutOfBoundsException.class, () -> softmax.run(data, other, 2, 9, 1, Parallel.NONE));
        assertThrows(
                IndexOutOfBoundsException.class, () -> softmax.run(data, other.asSlice(4), 2, 8, 1, Parallel.NONE));
        assertThrows(
                IllegalArgumentException.class, () -> softmax.run(data, other.asReadOnly(), 2, 8, 1, Parallel.NONE));
        assertThrows(IllegalArgumentException.class, () -> softmax.run(data, data.asSlice(4), 1, 8, 1, Parallel.NONE));
        softmax.run(data, data.asSlice(32), 1, 8, 1, Parallel.NONE);
        softmax.run(data, other, 0, 1L << 40, 1L << 40, Parallel.NONE);
        KernelKey key = KernelKey.parse("softmax.rows:log=2");
        Exception wrong = assertThrows(IllegalArgumentException.class, () -> kernels.describe(key));
        assertTrue(String.valueOf(wrong.getMessage()).contains("log"), wrong.getMessage());
    }
}
