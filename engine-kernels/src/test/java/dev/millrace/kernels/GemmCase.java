package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random products with random strides and epilogues, compared with sums in double. */
final class GemmCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float UNTOUCHED = 12345;
    private static final double MOST_ERROR = 1e-5;

    @Override
    public String name() {
        return "gemm.f32";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int most = small ? 24 : random.nextInt(20) == 0 ? 300 : 80;
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        new Product(new Gemm(kernels, GemmShape.of(kernels.target())), random, most).check(memory, parallel);
    }

    private static final class Product {
        private final Gemm gemm;
        private final Random random;
        private final int m;
        private final int n;
        private final int k;
        private final int lda;
        private final int ldb;
        private final int ldc;
        private final boolean transposed;
        private final boolean accumulate;
        private final Epilogue epilogue;

        Product(Gemm gemm, Random random, int most) {
            this.gemm = gemm;
            this.random = random;
            m = 1 + random.nextInt(random.nextInt(4) == 0 ? 4 : most);
            n = 1 + random.nextInt(most * 2);
            k = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 9 : most * 2);
            transposed = random.nextBoolean();
            lda = k + random.nextInt(3);
            ldb = (transposed ? k : n) + random.nextInt(3);
            ldc = n + random.nextInt(3);
            accumulate = random.nextBoolean();
            Activation[] activations = Activation.values();
            epilogue = new Epilogue(random.nextBoolean(), activations[random.nextInt(activations.length)]);
        }

        private static long extent(int rows, int columns, int stride) {
            return rows == 0 || columns == 0 ? 0 : (rows - 1L) * stride + columns;
        }

        void check(GuardedMemory memory, Parallel parallel) {
            MemorySegment a = memory.random(extent(m, k, lda), random);
            MemorySegment b = memory.random(transposed ? extent(n, k, ldb) : extent(k, n, ldb), random);
            MemorySegment c = memory.random(extent(m, n, ldc), random);
            MemorySegment bias = epilogue.bias() ? memory.random(n, random) : null;
            MemorySegment packed = memory.floats(gemm.packedBytes(k, n) / 4);
            for (int i = 0; i < m - 1; i++) {
                for (int j = n; j < ldc; j++) {
                    c.setAtIndex(FLOAT, (long) i * ldc + j, UNTOUCHED);
                }
            }
            double[][] expected = expected(a, b, c, bias);
            if (transposed) {
                gemm.packTransposed(b, ldb, k, n, packed);
            } else {
                gemm.pack(b, ldb, k, n, packed);
            }
            gemm.run(new GemmProduct(a, lda, packed, c, ldc, m, n, k, accumulate, epilogue, bias), parallel);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < ldc && (i < m - 1 || j < n); j++) {
                    float got = c.getAtIndex(FLOAT, (long) i * ldc + j);
                    if (j >= n) {
                        assertEquals(UNTOUCHED, got, "between the rows of C");
                    } else if (!(Math.abs(got - expected[i][j]) <= MOST_ERROR)) {
                        throw new AssertionError(got + " in place of " + expected[i][j] + " in row " + i + ", column "
                                + j + " of " + this);
                    }
                }
            }
        }

        private double[][] expected(MemorySegment a, MemorySegment b, MemorySegment c, @Nullable MemorySegment bias) {
            double[][] expected = new double[m][n];
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = accumulate ? c.getAtIndex(FLOAT, (long) i * ldc + j) : 0;
                    for (int x = 0; x < k; x++) {
                        long at = transposed ? (long) j * ldb + x : (long) x * ldb + j;
                        sum += (double) a.getAtIndex(FLOAT, (long) i * lda + x) * b.getAtIndex(FLOAT, at);
                    }
                    sum += bias == null ? 0 : bias.getAtIndex(FLOAT, j);
                    expected[i][j] = Reference.of(epilogue.activation(), sum);
                }
            }
            return expected;
        }

        @Override
        public String toString() {
            return m + "x" + k + "x" + n + ", strides " + lda + ", " + ldb + ", " + ldc
                    + (transposed ? ", B transposed" : "") + (accumulate ? ", accumulated, " : ", ") + epilogue;
        }
    }
}
