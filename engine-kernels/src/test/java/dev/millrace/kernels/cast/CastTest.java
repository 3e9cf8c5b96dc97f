package dev.millrace.kernels.cast;

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

class CastTest {
    private static final Kernels KERNELS = Kernels.open(System::getProperty);

    private static long bits(float x, NumberType to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_FLOAT, x);
            MemorySegment result = arena.allocate(8, 8);
            new Cast(KERNELS.set(), NumberType.F32, to).run(from, result, 1, Parallel.NONE);
            return result.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Test
    void floatsThatAreNoIntsBecomeTheLeastInt() {
        for (float x : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1e20f, -1e20f}) {
            assertEquals(Integer.MIN_VALUE, (int) bits(x, NumberType.S32));
            assertEquals(Long.MIN_VALUE, bits(x, NumberType.S64));
        }
        assertEquals(Long.MIN_VALUE, bits(-0x1p63f, NumberType.S64));
        assertEquals(1L << 31, bits(0x1p31f, NumberType.S64));
        assertEquals(-(1L << 31), bits(-0x1p31f, NumberType.S64));
    }

    @Test
    void specialFloatsKeepTheirMeaning() {
        assertEquals(1, bits(Float.NaN, NumberType.BOOL));
        assertEquals(0, bits(-0f, NumberType.BOOL));
        assertTrue(Float.isNaN(Float.float16ToFloat((short) bits(Float.NaN, NumberType.F16))));
        assertTrue(
                Float.isNaN(Float.intBitsToFloat((int) bits(Float.intBitsToFloat(0x7f800001), NumberType.BF16) << 16)));
        assertEquals(0x7f80, bits(Float.MAX_VALUE, NumberType.BF16));
        assertEquals(0x7c00, bits(65_520, NumberType.F16));
    }

    @Test
    void nothingOutsideOfTheSegmentsIsTouched() {
        var cast = new Cast(KERNELS.set(), NumberType.S4, NumberType.F64);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment five = arena.allocate(3);
            MemorySegment results = arena.allocate(40, 8);
            cast.run(five, results, 5, Parallel.NONE);
            assertThrows(IndexOutOfBoundsException.class, () -> cast.run(five, results, 6, Parallel.NONE));
            assertThrows(IndexOutOfBoundsException.class, () -> cast.run(five, results, -1, Parallel.NONE));
            assertThrows(IllegalArgumentException.class, () -> cast.run(results, results, 5, Parallel.NONE));
            var ofHalves = new Cast(KERNELS.set(), NumberType.S4, NumberType.U4);
            for (long count : new long[] {-1, 1L << 62}) {
                assertThrows(IndexOutOfBoundsException.class, () -> ofHalves.run(five, results, count, Parallel.NONE));
            }
        }
    }

    @Test
    void aWrongKeyNamesItsParameter() {
        KernelKey key = KernelKey.parse("convert:from=s64,to=f64");
        Exception wrong = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(key));
        assertTrue(String.valueOf(wrong.getMessage()).contains("parameter to"));
    }
}
