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
    void floatsThatAreNoIntsBecomeTheNearestOnes() {
        for (float x : new float[] {
            Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1e20f, -1e20f, 0x1p31f, 0x1p32f, -0x1.8p31f
        }) {
            assertEquals((int) x, (int) bits(x, NumberType.S32));
            assertEquals((short) (int) x, (short) bits(x, NumberType.S16));
            assertEquals((byte) x, (byte) bits(x, NumberType.U8));
            assertEquals((long) x, bits(x, NumberType.S64));
        }
        for (float x : new float[] {Float.POSITIVE_INFINITY, 1e20f, 0x1p64f}) {
            assertEquals(-1, (int) bits(x, NumberType.U32));
            assertEquals(-1, bits(x, NumberType.U64));
        }
        assertEquals(0, (int) bits(Float.NaN, NumberType.U32));
        assertEquals(0, bits(Float.NaN, NumberType.U64));
        assertEquals(Integer.MIN_VALUE, (int) bits(-1e20f, NumberType.U32));
        assertEquals(Long.MIN_VALUE, bits(-1e20f, NumberType.U64));
        assertEquals(-2, (int) bits(-2, NumberType.U32));
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
