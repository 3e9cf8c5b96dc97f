package dev.millrace.kernels.lowp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantisedGemmTest {
    private static final int K = 600;

    private static Kernels kernels() {
        return Kernels.open(System::getProperty);
    }

    private static MemorySegment filled(Arena arena, long size, int value) {
        MemorySegment bytes = arena.allocate(size);
        bytes.fill((byte) value);
        return bytes;
    }

    /** The sums of largest magnitude, where saturating instructions would be wrong. */
    @ParameterizedTest
    @CsvSource({"1, -128", "1, 127", "40, -128", "40, 127", "1, 64", "40, -64", "1, 32", "40, -32", "40, 33", "40, -33"
    })
    void sumsOfTheGreatestProductsAreExact(int m, int weight) {
        try (Kernels kernels = kernels();
                Arena arena = Arena.ofShared()) {
            QuantisedGemm gemm = new QuantisedGemm(kernels.set());
            int n = 19;
            MemorySegment packed = arena.allocate(gemm.packedBytes(K, n));
            gemm.pack(QuantisedMatrix.of(filled(arena, (long) K * n, weight), true, n), K, n, packed);
            MemorySegment c = arena.allocate(4L * m * n);
            QuantisedMatrix a = QuantisedMatrix.of(filled(arena, (long) m * K, 255), false, K);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(m, K, true, 1));
            gemm.run(new QuantisedProduct(a, packed, QuantisedResult.ints(c, n), m, n, K), scratch, Parallel.NONE);
            for (long i = 0; i < (long) m * n; i++) {
                assertEquals(255 * weight * K, c.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i));
            }
        }
    }

    /** Weights of which few are large, like those of models that were quantised with a single scale. */
    @ParameterizedTest
    @CsvSource({
        "1, 53, 4, 15, CUT_FOURS",
        "7, 53, 4, 15, CUT_FOURS",
        "40, 53, 4, 15, CUT_FOURS",
        "40, 16, 1, 15, CUT_FOURS",
        "40, 53, 4, 60, CUT_PAIRS",
        "7, 16, 1, 60, CUT_PAIRS",
        "40, 53, 400, 15, NO"
    })
    void productsOfFewLargeWeightsAreExact(int m, int n, int large, int others, PairFit fit) {
        try (Kernels kernels = kernels();
                Arena arena = Arena.ofShared()) {
            QuantisedGemm gemm = new QuantisedGemm(kernels.set());
            var random = new Random(large);
            MemorySegment b = arena.allocate((long) K * n);
            for (long i = 0; i < b.byteSize(); i++) {
                b.set(ValueLayout.JAVA_BYTE, i, (byte) (random.nextInt(2 * others + 1) - others));
            }
            for (int i = 0; i < large; i++) {
                long row = random.nextInt(K / 2) * 2L;
                long column = random.nextInt(n);
                byte weight = (byte) (random.nextBoolean() ? 127 : -128);
                b.set(ValueLayout.JAVA_BYTE, row * n + column, weight);
                b.set(ValueLayout.JAVA_BYTE, (row + 1) * n + column, weight);
            }
            MemorySegment rows = filled(arena, (long) m * K, 255);
            for (long i = 0; i < rows.byteSize(); i += 3) {
                rows.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            MemorySegment packed = arena.allocate(gemm.packedBytes(K, n));
            gemm.pack(QuantisedMatrix.of(b, true, n), K, n, packed);
            MemorySegment c = arena.allocate(4L * m * n);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(m, K, true, 1));
            QuantisedMatrix a = QuantisedMatrix.of(rows, false, K);
            var product = new QuantisedProduct(a, packed, QuantisedResult.ints(c, n), m, n, K);
            gemm.run(product, scratch, Parallel.NONE);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    int sum = 0;
                    for (int k = 0; k < K; k++) {
                        int left = rows.get(ValueLayout.JAVA_BYTE, (long) i * K + k) & 0xff;
                        sum += left * b.get(ValueLayout.JAVA_BYTE, (long) k * n + j);
                    }
                    assertEquals(sum, c.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, (long) i * n + j));
                }
            }
            IntegerPanels panels = IntegerPanels.of(kernels.set().target(), K, n);
            if (panels.cut()) {
                assertEquals(fit, PairFit.of(packed, panels));
                if (fit != PairFit.NO) {
                    assertCutsAreChecked(gemm, product, scratch, panels);
                }
            }
        }
    }

    /** Checks that wrong positions and counts, which a file could contain, are refused. */
    private static void assertCutsAreChecked(
            QuantisedGemm gemm, QuantisedProduct product, MemorySegment scratch, IntegerPanels panels) {
        ValueLayout.OfLong number = ValueLayout.JAVA_LONG_UNALIGNED;
        MemorySegment packed = product.packed();
        for (long at : new long[] {panels.cutsOf(0), panels.excess(1) - Long.BYTES}) {
            long right = packed.get(number, at);
            for (long wrong : new long[] {-1, 1L << 31, 1L << 62, 4L * K}) {
                packed.set(number, at, wrong);
                assertThrows(IndexOutOfBoundsException.class, () -> gemm.run(product, scratch, Parallel.NONE));
            }
            packed.set(number, at, right);
        }
        gemm.run(product, scratch, Parallel.NONE);
    }

    /** Sums near the end of the range of ints, with scales that leave that range and with the largest that do not. */
    @ParameterizedTest
    @CsvSource({"1e9, false, 255", "-1e9, false, 0", "1, false, 255", "0.5, true, 255", "-0.5, true, 0"})
    void bytesOfTheGreatestSumsSaturate(float scale, boolean small, int expected) {
        try (Kernels kernels = kernels();
                Arena arena = Arena.ofShared()) {
            QuantisedGemm gemm = new QuantisedGemm(kernels.set());
            int m = 17;
            int n = 35;
            MemorySegment packed = arena.allocate(gemm.packedBytes(K, n));
            gemm.pack(QuantisedMatrix.of(filled(arena, (long) K * n, 1), true, n), K, n, packed);
            MemorySegment c = arena.allocate((long) m * n);
            MemorySegment factor = arena.allocate(4);
            factor.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, scale);
            MemorySegment bias = arena.allocate(4L * n);
            for (long i = 0; i < n; i++) {
                bias.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, Integer.MAX_VALUE - 255 * K);
            }
            QuantisedResult bytes =
                    QuantisedResult.bytes(c, false, n, factor, 3).withBias(bias);
            QuantisedMatrix a = QuantisedMatrix.of(filled(arena, (long) m * K, 255), false, K);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(m, K, true, 1));
            QuantisedResult result = small ? bytes.withSmallScales() : bytes;
            gemm.run(new QuantisedProduct(a, packed, result, m, n, K), scratch, Parallel.NONE);
            for (long i = 0; i < (long) m * n; i++) {
                assertEquals(expected, c.get(ValueLayout.JAVA_BYTE, i) & 0xff);
            }
        }
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        try (Kernels kernels = kernels();
                Arena arena = Arena.ofShared()) {
            QuantisedGemm gemm = new QuantisedGemm(kernels.set());
            MemorySegment four = arena.allocate(4);
            MemorySegment packed = arena.allocate(gemm.packedBytes(2, 2));
            MemorySegment sums = arena.allocate(16);
            QuantisedMatrix a = QuantisedMatrix.of(four, false, 2);
            QuantisedResult c = QuantisedResult.ints(sums, 2);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(2, 2, true, 1));
            gemm.run(new QuantisedProduct(a, packed, c, 2, 2, 2), scratch, Parallel.NONE);
            assertRefused(gemm, new QuantisedProduct(a, packed, c, 3, 2, 2), "A needs 6");
            assertRefused(gemm, new QuantisedProduct(a, four, c, 2, 2, 2), "packed B needs");
            QuantisedResult small = QuantisedResult.ints(sums.asSlice(4), 2);
            assertRefused(gemm, new QuantisedProduct(a, packed, small, 2, 2, 2), "C needs 16");
            QuantisedResult fixed = QuantisedResult.ints(sums.asReadOnly(), 2);
            assertRefused(gemm, new QuantisedProduct(a, packed, fixed, 2, 2, 2), "C is read-only");
            QuantisedMatrix points = a.withZeroPoints(arena.allocate(0));
            assertRefused(gemm, new QuantisedProduct(points, packed, c, 2, 2, 2), "the zero points of A");
            assertRefused(gemm, new QuantisedProduct(a, packed, c.withBias(four), 2, 2, 2), "the bias needs 2");
            QuantisedResult bytes = QuantisedResult.bytes(four, true, 2, sums, 200);
            assertRefused(gemm, new QuantisedProduct(a, packed, bytes, 2, 2, 2), "zero point of C is 200");
            QuantisedResult active =
                    new QuantisedResult(sums, QuantisedOutput.S32, 2, null, null, Activation.RELU, 0, false);
            assertRefused(gemm, new QuantisedProduct(a, packed, active, 2, 2, 2), "activation");
            assertRefused(gemm, new QuantisedProduct(a, packed, c, 2, 2, 2), "the scratch memory");
        }
    }

    private static void assertRefused(QuantisedGemm gemm, QuantisedProduct product, String reason) {
        RuntimeException refusal =
                assertThrows(RuntimeException.class, () -> gemm.run(product, MemorySegment.NULL, Parallel.NONE));
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gemm.s8:activation=none,bias=0,dot=bytes,form=packed,masked=0,output=s32,rows=9,scales=0,vectors=1,windows=0,zeros=0"
                    + " | rows",
                "gemm.s8:activation=relu,bias=0,dot=bytes,form=packed,masked=0,output=s32,rows=1,scales=0,vectors=1,windows=0,zeros=0"
                    + " | activation",
                "gemm.s8:activation=none,bias=0,dot=words,form=packed,masked=0,output=s32,rows=1,scales=0,vectors=1,zeros=0"
                    + " | dot",
                "gemm.s8:activation=none,bias=0,dot=nibbles,form=given,masked=0,output=s32,rows=1,scales=0,vectors=1,zeros=0"
                    + " | form",
                "gemm.s8:activation=none,bias=0,dot=bytes,form=packed,masked=0,output=s32,rows=1,scales=0,vectors=1,windows=1,zeros=0"
                    + " | windows",
                "gemm.s8.rows:split=0,rest=4,signed=0 | rest",
                "gemm.s8:activation=none,bias=0,dot=bytes,form=packed,low=1,masked=0,output=s32,rows=1,scales=0,vectors=1,windows=0,zeros=0"
                    + " | low",
                "gemm.s8:activation=none,bias=0,cut=1,dot=bytes,form=packed,low=0,masked=0,output=s32,rows=1,scales=0,vectors=1,windows=0,zeros=0"
                    + " | cut",
                "gemm.stored.row:activation=none,bias=0,block=48,type=int4,vectors=1,zeros=0 | block",
                "gemm.stored.row:activation=none,bias=0,block=32,type=f16,vectors=1,zeros=0 | block",
                "gemm.stored.decode:block=16,type=bf16,vectors=1,zeros=1 | zeros"
            })
    void wrongKeysAreRefusedByName(String key, String parameter) {
        try (Kernels kernels = kernels()) {
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> kernels.set().kernel(KernelKey.parse(key)));
            assertTrue(refusal.toString().contains("parameter " + parameter), refusal.toString());
        }
    }
}
