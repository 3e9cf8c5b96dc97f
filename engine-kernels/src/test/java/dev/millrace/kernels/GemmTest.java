package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.kernels.code.Platform;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class GemmTest {
    private static Kernels at(String level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name));
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        try (Kernels kernels = at("avx512");
                Arena arena = Arena.ofConfined()) {
            Gemm gemm = kernels.gemm();
            MemorySegment four = arena.allocate(16, 4);
            MemorySegment packed = arena.allocate(gemm.packedBytes(2, 2), 4);
            GemmProduct fits = GemmProduct.of(four, packed, four, 2, 2, 2);
            gemm.run(fits, Parallel.NONE);
            assertRefused(gemm, GemmProduct.of(four, packed, four, 3, 2, 2), "A needs 6");
            assertRefused(gemm, GemmProduct.of(four, packed, four.asSlice(4), 2, 2, 2), "C needs 4");
            assertRefused(gemm, GemmProduct.of(four, four, four, 2, 2, 2), "packed B needs");
            assertRefused(gemm, GemmProduct.of(four, packed, four.asReadOnly(), 2, 2, 2), "C is read-only");
            assertRefused(gemm, fits.with(new Epilogue(true, Activation.NONE), null), "bias");
            assertRefused(gemm, fits.with(new Epilogue(true, Activation.NONE), four.asSlice(0, 4)), "the bias needs 2");
            assertRefused(gemm, GemmProduct.of(four, packed, four, Long.MAX_VALUE / 2, 2, 2), "A needs");
        }
    }

    @Test
    void memoryThatMachineCodeCannotReadIsRefused() {
        try (Kernels kernels = at("avx512");
                Arena arena = Arena.ofConfined()) {
            assumeTrue(kernels.level().emitsMachineCode());
            Gemm gemm = kernels.gemm();
            MemorySegment four = arena.allocate(16, 4);
            MemorySegment packed = arena.allocate(gemm.packedBytes(2, 2), 4);
            MemorySegment heap = MemorySegment.ofArray(new float[4]);
            MemorySegment freed;
            try (Arena gone = Arena.ofConfined()) {
                freed = gone.allocate(16, 4);
            }
            assertRefused(gemm, GemmProduct.of(heap, packed, four, 2, 2, 2), "not the heap");
            assertRefused(gemm, GemmProduct.of(freed, packed, four, 2, 2, 2), "was freed");
        }
    }

    private static void assertRefused(Gemm gemm, GemmProduct product, String reason) {
        RuntimeException refusal = assertThrows(RuntimeException.class, () -> gemm.run(product, Parallel.NONE));
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
    }
}
