package dev.millrace.kernels.driver;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.code.Platform;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class PackedBytesTest {
    private static String layout(String bits) {
        try (Kernels kernels = Kernels.open(name -> switch (name) {
            case Platform.LEVEL_PROPERTY -> "vector_api";
            case Kernels.VECTOR_BITS_PROPERTY -> bits;
            default -> System.getProperty(name);
        })) {
            return kernels.gemm().packedLayout();
        }
    }

    @Test
    void bytesOfTheRightLayoutAreHandedOut() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[1]);
        assertSame(bytes, new PackedBytes(layout("256"), bytes).in(layout("256")));
    }

    @Test
    void bytesOfAMachineWithOtherVectorsAreRefused() {
        String theirs = layout("512");
        String ours = layout("256");
        assertNotEquals(theirs, ours);
        PackedBytes packed = new PackedBytes(theirs, MemorySegment.NULL);
        Exception refusal = assertThrows(IllegalArgumentException.class, () -> packed.in(ours));
        assertTrue(refusal.toString().contains(theirs), refusal.toString());
        assertTrue(refusal.toString().contains(ours), refusal.toString());
    }
}
