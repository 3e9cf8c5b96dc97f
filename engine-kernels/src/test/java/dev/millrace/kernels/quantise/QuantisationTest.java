package dev.millrace.kernels.quantise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class QuantisationTest {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofShared();

    private final Quantisation quantisation = new Quantisation(kernels.set());

    @Test
    void whatIsAllZerosHasTheScaleOne() {
        MemorySegment x = arena.allocate(20);
        MemorySegment y = arena.allocate(5);
        MemorySegment scale = arena.allocate(4);
        MemorySegment zero = arena.allocate(4);
        quantisation.quantiseDynamically(x, 5, y, scale, zero, Parallel.NONE);
        assertEquals(1, scale.get(FLOAT, 0));
        assertEquals(0, zero.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        assertEquals(0, y.get(ValueLayout.JAVA_BYTE, 4));
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        MemorySegment x = arena.allocate(24);
        MemorySegment y = arena.allocate(6);
        MemorySegment terms = arena.allocate(8);
        Scales two = new Scales(1, 2, 3, terms, terms);
        quantisation.quantise(x, two, QuantisedType.U8, y, Parallel.NONE);
        assertRefused("4 bits", () -> quantisation.quantise(x, two, QuantisedType.U4, y, Parallel.NONE));
        assertRefused("y needs 12", () -> quantisation.quantise(x, two, QuantisedType.S16, y, Parallel.NONE));
        assertRefused("x needs 24", () -> quantisation.quantise(y, two, QuantisedType.U8, y, Parallel.NONE));
        assertRefused(
                "y is read-only", () -> quantisation.quantise(x, two, QuantisedType.U8, y.asReadOnly(), Parallel.NONE));
        Scales three = new Scales(1, 3, 2, terms, terms);
        assertRefused("scales needs 3", () -> quantisation.quantise(x, three, QuantisedType.U8, y, Parallel.NONE));
    }

    @Test
    void oneScaleForAllMakesOneRow() {
        MemorySegment x = arena.allocate(15 * 4);
        MemorySegment y = arena.allocate(8);
        MemorySegment scale = arena.allocateFrom(FLOAT, 1f);
        MemorySegment zero = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
        for (int i = 0; i < 15; i++) {
            x.setAtIndex(FLOAT, i, i);
        }
        Scales scales = new Scales(3, 1, 5, scale, zero);
        quantisation.quantise(x, scales, QuantisedType.U4, y, Parallel.NONE);
        assertEquals(0x21, y.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(0xf, y.get(ValueLayout.JAVA_BYTE, 7));
    }

    @Test
    void whatIsWrittenOverlapsNothing() {
        MemorySegment x = arena.allocate(16);
        MemorySegment y = arena.allocate(4);
        MemorySegment scale = arena.allocate(4);
        MemorySegment zero = arena.allocate(4);
        Scales ofAll = Scales.ofAll(4, scale, zero);
        assertRefused(
                "y overlaps the scales", () -> quantisation.quantise(x, ofAll, QuantisedType.U8, scale, Parallel.NONE));
        assertRefused(
                "y overlaps the zero points",
                () -> quantisation.requantise(x, ofAll, QuantisedType.U8, zero, Parallel.NONE));
        assertRefused("the scale overlaps x", () -> quantisation.quantiseDynamically(x, 4, y, x, zero, Parallel.NONE));
        assertRefused(
                "the zero point overlaps x", () -> quantisation.quantiseDynamically(x, 4, y, scale, x, Parallel.NONE));
        assertRefused(
                "the zero point overlaps the scale",
                () -> quantisation.quantiseDynamically(x, 4, y, scale, scale, Parallel.NONE));
    }

    private static void assertRefused(String reason, Runnable action) {
        RuntimeException refusal = assertThrows(RuntimeException.class, action::run);
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }
}
