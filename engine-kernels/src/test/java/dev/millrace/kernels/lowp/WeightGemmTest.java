package dev.millrace.kernels.lowp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.FloatType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class WeightGemmTest {
    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        try (Kernels kernels = Kernels.open(System::getProperty);
                Arena arena = Arena.ofShared()) {
            WeightFormat format = new WeightFormat(WeightType.INT4, 32, false);
            WeightGemm gemm = new WeightGemm(kernels.set(), format);
            MemorySegment sixteen = arena.allocate(16, 4);
            MemorySegment packed = arena.allocate(gemm.packedBytes(2, 2), 4);
            MemorySegment c = arena.allocate(16, 4);
            run(gemm, sixteen, packed, c, 2, 2, 2);
            WeightProduct product = WeightProduct.of(sixteen, packed, c, 2, 2, 2);
            assertRefused("the scratch memory", () -> gemm.run(product, MemorySegment.NULL, Parallel.NONE));
            assertRefused("A needs 24", () -> run(gemm, sixteen, packed, c, 3, 2, 2));
            assertRefused("packed B needs", () -> run(gemm, sixteen, sixteen, c, 2, 2, 2));
            assertRefused("C needs 16", () -> run(gemm, sixteen, packed, c.asSlice(4), 2, 2, 2));
            BlockedWeights few = new BlockedWeights(WeightType.INT4, 32, sixteen, sixteen, FloatType.F32, null);
            assertRefused("the weights needs 32", () -> gemm.pack(few, 2, 2, packed));
            assertRefused("of 16 bits", () -> gemm.pack(sixteen, 2, 2, 2, packed));
            BlockedWeights points = new BlockedWeights(WeightType.INT4, 32, sixteen, sixteen, FloatType.F32, sixteen);
            assertRefused("products with", () -> gemm.pack(points, 2, 2, packed));
            assertRefused("power of two", () -> new WeightFormat(WeightType.INT4, 24, false));
            assertRefused("no blocks", () -> new WeightFormat(WeightType.F16, 32, false));
        }
    }

    private static void run(
            WeightGemm gemm, MemorySegment a, MemorySegment packed, MemorySegment c, int m, int n, int k) {
        WeightProduct product = WeightProduct.of(a, packed, c, m, n, k);
        MemorySegment scratch = Arena.ofAuto().allocate(gemm.scratchBytes(product.extents(), 1), 64);
        gemm.run(product, scratch, Parallel.NONE);
    }

    private static void assertRefused(String reason, Runnable action) {
        RuntimeException refusal = assertThrows(RuntimeException.class, action::run);
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }

    @Test
    void layoutsOfDifferentFormatsHaveDifferentNames() {
        try (Kernels kernels = Kernels.open(System::getProperty)) {
            String f16 = new WeightGemm(kernels.set(), WeightFormat.F16).packedLayout();
            String bf16 = new WeightGemm(kernels.set(), WeightFormat.BF16).packedLayout();
            assertNotEquals(f16, bf16);
            assertEquals(f16, new WeightGemm(kernels.set(), WeightFormat.F16).packedLayout());
        }
    }
}
