package dev.millrace.kernels.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.Platform;
import dev.millrace.kernels.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PackedBytesTest {
    private static Kernels vectorApi(String bits) {
        return Kernels.open(name -> switch (name) {
            case Platform.LEVEL_PROPERTY -> "vector_api";
            case Kernels.VECTOR_BITS_PROPERTY -> bits;
            default -> System.getProperty(name);
        });
    }

    private static MemorySegment answer(PackedCase driver, MemorySegment packed, Arena arena) {
        MemorySegment out = arena.allocate(PackedCase.OUT_BYTES, 64);
        driver.run(packed, out);
        return out;
    }

    @ParameterizedTest
    @EnumSource
    void exportedWeightsAreAsGoodAsPackedOnes(PackedCase.Kind kind) {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Kernels others = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            PackedCase first = kind.make(kernels, new Numbers(arena));
            MemorySegment packed = arena.allocate(first.packedBytes(), 64);
            first.pack(packed);
            PackedBytes exported = first.driver().exported(packed);

            MemorySegment kept =
                    arena.allocate(packed.byteSize() + 1).asSlice(1).copyFrom(exported.bytes());
            PackedCase second = kind.make(others, new Numbers(arena));
            MemorySegment opened = second.driver().opened(new PackedBytes(exported.layout(), kept));

            assertEquals(-1, answer(first, packed, arena).mismatch(answer(second, opened, arena)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void weightsForOtherVectorsAreRefused(PackedCase.Kind kind) {
        try (Kernels wide = vectorApi("512");
                Kernels narrow = vectorApi("128");
                Arena arena = Arena.ofShared()) {
            PackedCase theirs = kind.make(wide, new Numbers(arena));
            PacksWeights ours = kind.make(narrow, new Numbers(arena)).driver();
            PackedBytes exported = theirs.driver().exported(arena.allocate(theirs.packedBytes()));
            assertNotEquals(exported.layout(), ours.packedLayout());
            Exception refusal = assertThrows(IllegalArgumentException.class, () -> ours.opened(exported));
            assertTrue(refusal.toString().contains(exported.layout()), refusal.toString());
            assertTrue(refusal.toString().contains(ours.packedLayout()), refusal.toString());
        }
    }

    @Test
    void noTwoKindsOfDriversTakeEachOthersWeights() {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            Set<String> layouts = new HashSet<>();
            for (PackedCase.Kind kind : PackedCase.Kind.values()) {
                String layout = kind.make(kernels, new Numbers(arena)).driver().packedLayout();
                assertTrue(layouts.add(layout), layout);
            }
        }
    }
}
