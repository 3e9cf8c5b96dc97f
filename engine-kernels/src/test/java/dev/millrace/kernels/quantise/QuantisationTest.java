package dev.millrace.kernels.quantise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class QuantisationTest {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    @Test
    void bfloatsAreRoundedToNearestEvenAndStayNaN() {
        int[] bits = {
            0x3f808000,
            0x3f818000,
            0x3f808001,
            0x7f7fffff,
            0x7f800000,
            0xff800000,
            0x7f800001,
            0xffffffff,
            0x80000000,
            0x00000001,
            0x00018000
        };
        int[] expected = {0x3f80, 0x3f82, 0x3f81, 0x7f80, 0x7f80, 0xff80, 0x7fc0, 0xffff, 0x8000, 0, 2};
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(4L * bits.length);
            MemorySegment y = arena.allocate(2L * bits.length);
            MemorySegment back = arena.allocate(4L * bits.length);
            for (int i = 0; i < bits.length; i++) {
                x.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, bits[i]);
            }
            FloatConversion conversion = new FloatConversion(kernels.set());
            conversion.run(x, FloatType.F32, y, FloatType.BF16, bits.length, Parallel.NONE);
            conversion.run(y, FloatType.BF16, back, FloatType.F32, bits.length, Parallel.NONE);
            for (int i = 0; i < bits.length; i++) {
                assertEquals(expected[i], y.getAtIndex(SHORT, i) & 0xffff, Integer.toHexString(bits[i]));
                assertEquals(expected[i] << 16, back.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i));
            }
        }
    }

    @Test
    void whatIsAllZerosHasTheScaleOne() {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(20);
            MemorySegment y = arena.allocate(5);
            MemorySegment scale = arena.allocate(4);
            MemorySegment zero = arena.allocate(4);
            new Quantisation(kernels.set()).quantiseDynamically(x, 5, y, scale, zero, Parallel.NONE);
            assertEquals(1, scale.get(FLOAT, 0));
            assertEquals(0, zero.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
            assertEquals(0, y.get(ValueLayout.JAVA_BYTE, 4));
        }
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            Quantisation quantisation = new Quantisation(kernels.set());
            MemorySegment x = arena.allocate(24);
            MemorySegment y = arena.allocate(6);
            MemorySegment terms = arena.allocate(8);
            Scales two = new Scales(1, 2, 3, terms, terms);
            quantisation.quantise(x, two, QuantisedType.U8, y, Parallel.NONE);
            assertRefused("4 bits", () -> quantisation.quantise(x, two, QuantisedType.U4, y, Parallel.NONE));
            assertRefused("y needs 12", () -> quantisation.quantise(x, two, QuantisedType.S16, y, Parallel.NONE));
            assertRefused("x needs 24", () -> quantisation.quantise(y, two, QuantisedType.U8, y, Parallel.NONE));
            assertRefused(
                    "y is read-only",
                    () -> quantisation.quantise(x, two, QuantisedType.U8, y.asReadOnly(), Parallel.NONE));
            Scales three = new Scales(1, 3, 2, terms, terms);
            assertRefused("scales needs 3", () -> quantisation.quantise(x, three, QuantisedType.U8, y, Parallel.NONE));
        }
    }

    private static void assertRefused(String reason, Runnable action) {
        RuntimeException refusal = assertThrows(RuntimeException.class, action::run);
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }
}
