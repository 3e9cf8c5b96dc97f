package dev.millrace.kernels.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Random products in all layouts, with random strides, epilogues, outputs and batches, compared with sums in double. */
public final class GemmCase implements FamilyCase {
    private static final double MOST_ERROR = 2e-5;

    @Override
    public String name() {
        return "gemm.f32";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int most = small ? 24 : random.nextInt(20) == 0 ? 300 : 80;
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        GemmShape best = GemmShape.of(kernels.target());
        int depth = random.nextBoolean() ? best.depth() : 8;
        Gemm gemm = new Gemm(kernels, new GemmShape(best.rows(), best.vectors(), depth));
        var product = new Product(gemm, memory, random, most);
        product.check(run -> Rehearsal.run(kernels, random, () -> gemm.run(run, parallel)));
    }

    private static final class Product {
        private final Gemm gemm;
        private final int m;
        private final int n;
        private final int k;
        private final boolean accumulate;
        private final RandomEpilogue epilogue;
        private final long batches;
        private final RandomMatrix a;
        private final RandomMatrix b;
        private final Matrix right;
        private final long distanceOfB;
        private final List<RandomMatrix> results = new ArrayList<>();

        Product(Gemm gemm, GuardedMemory memory, Random random, int most) {
            this.gemm = gemm;
            m = 1 + random.nextInt(random.nextInt(4) == 0 ? 4 : most);
            n = 1 + random.nextInt(most * 2);
            k = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 9 : most * 2);
            epilogue = new RandomEpilogue(random, memory, m, n);
            accumulate = epilogue.output() == Output.F32 && random.nextBoolean();
            batches = random.nextInt(3) == 0 ? 2 * (1 + random.nextInt(3)) : 1;
            a = RandomMatrix.read(memory, random, m, k, batches);
            boolean pack = random.nextBoolean();
            b = RandomMatrix.read(memory, random, k, n, pack ? 1 : batches);
            right = pack ? Matrix.packed(memory.floats(gemm.packedBytes(k, n) / 4)) : b.matrix();
            distanceOfB = pack ? 0 : b.distance();
            for (int first = 0; first < n; ) {
                int columns = random.nextInt(3) == 0 ? 1 + random.nextInt(n - first) : n - first;
                results.add(RandomMatrix.written(memory, random, m, columns, n + 2, batches, epilogue.output()));
                first += columns;
            }
        }

        void check(Consumer<GemmProduct> run) {
            GemmProduct.Builder builder = GemmProduct.builder(m, n, k, a.matrix(), right)
                    .accumulating(accumulate)
                    .then(epilogue.epilogue(), epilogue.operands());
            for (RandomMatrix c : results) {
                builder.writing(c.matrix(), c.columns());
            }
            if (batches > 1) {
                long c = results.getFirst().distance();
                builder.batch(Batch.of(2, a.distance(), distanceOfB, c)
                        .times(batches / 2, 2 * a.distance(), 2 * distanceOfB, 2 * c));
            }
            double[] expected = expected();
            if (right.isPacked()) {
                gemm.pack(b.matrix(), k, n, right.memory());
            }
            run.accept(builder.build());
            int at = 0;
            for (int batch = 0; batch < batches; batch++) {
                for (RandomMatrix c : results) {
                    c.checkGaps(batch);
                    for (int i = 0; i < m; i++) {
                        for (int j = 0; j < c.columns(); j++) {
                            compare(expected[at], c.get(batch, i, j), at);
                            at++;
                        }
                    }
                }
            }
            assertEquals(expected.length, at);
        }

        private void compare(double wanted, double got, int at) {
            double allowed = epilogue.output() == Output.F32 ? MOST_ERROR * Math.max(1, Math.abs(wanted)) : 1;
            if (!(Math.abs(got - wanted) <= allowed)) {
                throw new AssertionError(got + " in place of " + wanted + ", element " + at + " of " + this);
            }
        }

        private double[] expected() {
            double[] expected = new double[Math.toIntExact(batches * m * n)];
            int at = 0;
            for (int batch = 0; batch < batches; batch++) {
                int first = 0;
                for (RandomMatrix c : results) {
                    for (int i = 0; i < m; i++) {
                        for (int j = 0; j < c.columns(); j++) {
                            double sum = accumulate ? c.get(batch, i, j) : 0;
                            for (int x = 0; x < k; x++) {
                                sum += a.get(batch, i, x) * b.get(right.isPacked() ? 0 : batch, x, first + j);
                            }
                            expected[at++] = epilogue.of(sum, i, first + j);
                        }
                    }
                    first += c.columns();
                }
            }
            return expected;
        }

        @Override
        public String toString() {
            return batches + " of " + m + "x" + k + "x" + n + ", A " + a + ", B " + b + " as " + right.layout() + ", C "
                    + results + (accumulate ? ", accumulated, " : ", ") + epilogue.epilogue();
        }
    }
}
