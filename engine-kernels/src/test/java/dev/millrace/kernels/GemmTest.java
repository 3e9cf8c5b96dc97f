package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.kernels.code.Platform;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmShape;
import dev.millrace.kernels.program.EmulatedLowering;
import dev.millrace.kernels.program.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GemmTest {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float UNTOUCHED = 12345;

    private static Kernels at(String level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name));
    }

    private static double activate(Activation activation, double x) {
        return switch (activation) {
            case NONE -> x;
            case RELU -> Math.max(0, x);
            case GELU -> x / 2 * (1 + Reference.erf(x / Math.sqrt(2)));
            case SILU -> x / (1 + Math.exp(-x));
            case SIGMOID -> 1 / (1 + Math.exp(-x));
            case TANH -> Math.tanh(x);
        };
    }

    /** One random product, all operands against guard pages, compared with sums in double. */
    private static double worstError(Gemm gemm, Random random, int most, Parallel parallel) {
        int m = 1 + random.nextInt(random.nextInt(4) == 0 ? 4 : most);
        int n = 1 + random.nextInt(most * 2);
        int k = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 9 : most * 2);
        int lda = k + random.nextInt(3);
        int ldb = n + random.nextInt(3);
        int ldc = n + random.nextInt(3);
        boolean transposed = random.nextBoolean();
        boolean accumulate = random.nextBoolean();
        Activation[] activations = Activation.values();
        Epilogue epilogue = new Epilogue(random.nextBoolean(), activations[random.nextInt(activations.length)]);
        try (Arena arena = Arena.ofShared()) {
            GuardedMemory memory = new GuardedMemory(arena);
            MemorySegment a = memory.random(k == 0 ? 0 : (long) (m - 1) * lda + k, random);
            int ldt = transposed ? k + random.nextInt(3) : ldb;
            long sizeOfB = k == 0 ? 0 : transposed ? (long) (n - 1) * ldt + k : (long) (k - 1) * ldb + n;
            MemorySegment b = memory.random(sizeOfB, random);
            MemorySegment c = memory.random((long) (m - 1) * ldc + n, random);
            MemorySegment bias = epilogue.bias() ? memory.random(n, random) : null;
            MemorySegment packed = memory.floats(gemm.packedBytes(k, n) / 4);
            for (int i = 0; i < m - 1; i++) {
                for (int j = n; j < ldc; j++) {
                    c.setAtIndex(FLOAT, (long) i * ldc + j, UNTOUCHED);
                }
            }
            double[][] expected = new double[m][n];
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = accumulate ? c.getAtIndex(FLOAT, (long) i * ldc + j) : 0;
                    for (int x = 0; x < k; x++) {
                        long at = transposed ? (long) j * ldt + x : (long) x * ldb + j;
                        sum += (double) a.getAtIndex(FLOAT, (long) i * lda + x) * b.getAtIndex(FLOAT, at);
                    }
                    sum += bias == null ? 0 : bias.getAtIndex(FLOAT, j);
                    expected[i][j] = activate(epilogue.activation(), sum);
                }
            }
            if (transposed) {
                gemm.packTransposed(b, ldt, k, n, packed);
            } else {
                gemm.pack(b, ldb, k, n, packed);
            }
            gemm.run(new GemmProduct(a, lda, packed, c, ldc, m, n, k, accumulate, epilogue, bias), parallel);
            double worst = 0;
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < ldc && (i < m - 1 || j < n); j++) {
                    float got = c.getAtIndex(FLOAT, (long) i * ldc + j);
                    if (j < n) {
                        worst = Math.max(worst, Math.abs(got - expected[i][j]));
                    } else {
                        assertEquals(UNTOUCHED, got, "between the rows of C");
                    }
                }
            }
            return worst;
        }
    }

    private static void randomProducts(String level, int count, int most, Parallel parallel) {
        try (Kernels kernels = at(level)) {
            randomProducts(kernels.level().toString(), kernels.gemm(), count, most, parallel);
        }
    }

    private static void randomProducts(String name, Gemm gemm, int count, int most, Parallel parallel) {
        Random random = new Random(7);
        double worst = 0;
        for (int i = 0; i < count; i++) {
            worst = Math.max(worst, worstError(gemm, random, most, parallel));
        }
        System.out.printf("%d guarded products at %s: worst error %.2e%n", count, name, worst);
        assertTrue(worst < 1e-5, "worst error " + worst);
    }

    @Test
    void randomProductsAreRightAndStayInsideOnAvx512InTheEmulator() {
        KernelSet kernels = new KernelSet(new EmulatedLowering(), Kernels.FAMILIES);
        Gemm gemm = new Gemm(kernels, GemmShape.of(Target.AVX512));
        randomProducts("AVX512, emulated", gemm, 120, 70, Parallel.NONE);
    }

    @Test
    void randomProductsAreRightAndStayInside() {
        randomProducts("avx512", 1500, 100, Parallel.NONE);
    }

    @Test
    void deepProductsAreRightAndStayInside() {
        randomProducts("avx512", 60, 500, Parallel.NONE);
    }

    @Test
    void productsOfSeveralThreadsAreRightAndStayInside() {
        randomProducts("avx512", 150, 200, TestThreads.of(3));
    }

    @Test
    void randomProductsAreRightAndStayInsideWhenInterpreted() {
        randomProducts("plain", 150, 24, Parallel.NONE);
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
