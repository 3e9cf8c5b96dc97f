package dev.millrace.kernels.cast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class Bf16Test {
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
            new Cast(kernels.set(), NumberType.F32, NumberType.BF16).run(x, y, bits.length, Parallel.NONE);
            new Cast(kernels.set(), NumberType.BF16, NumberType.F32).run(y, back, bits.length, Parallel.NONE);
            for (int i = 0; i < bits.length; i++) {
                assertEquals(
                        expected[i],
                        y.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) & 0xffff,
                        Integer.toHexString(bits[i]));
                assertEquals(expected[i] << 16, back.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i));
            }
        }
    }
}
