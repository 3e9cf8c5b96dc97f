package dev.millrace.kernels.lowp;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Reference;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random products of bytes: sums are equal to the bit, floats nearly. */
public final class QuantisedGemmCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    @Override
    public String name() {
        return "gemm.s8";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        new One(kernels, memory, random, small ? 12 : 70).run();
    }

    private static final class One {
        private final KernelSet kernels;
        private final QuantisedGemm gemm;
        private final GuardedMemory memory;
        private final Random random;
        private final int m;
        private final int n;
        private final int k;
        private final boolean transposed;
        private final QuantisedMatrix a;
        private final QuantisedMatrix b;
        private final QuantisedResult c;
        private final Parallel parallel;

        One(KernelSet kernels, GuardedMemory memory, Random random, int most) {
            this.kernels = kernels;
            gemm = new QuantisedGemm(kernels);
            this.memory = memory;
            this.random = random;
            m = 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : most);
            n = 1 + random.nextInt(most);
            k = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 9 : 2 * most);
            parallel = TestThreads.of(1 + random.nextInt(3));
            a = matrix(m, k, m, 256).withScales(floats(random.nextBoolean() ? 1 : m));
            transposed = random.nextBoolean();
            int range = random.nextBoolean() ? 256 : random.nextBoolean() ? 129 : 65;
            b = transposed ? matrix(n, k, n, range) : matrix(k, n, n, range);
            for (int i = range == 256 || k == 0 ? 0 : random.nextInt(4); i > 0; i--) {
                long one = random.nextLong(b.data().byteSize());
                int weight = random.nextBoolean() ? 64 : random.nextInt(256) - 128;
                b.data().set(ValueLayout.JAVA_BYTE, one, (byte) (weight + (b.signed() ? 0 : 128)));
            }
            c = result();
        }

        private QuantisedMatrix matrix(int rows, int columns, int terms, int range) {
            int stride = columns + random.nextInt(3);
            boolean signed = random.nextBoolean();
            MemorySegment data = memory.bytes(rows == 0 || columns == 0 ? 0 : (long) (rows - 1) * stride + columns);
            for (long i = 0; i < data.byteSize(); i++) {
                int centred = random.nextInt(8) == 0 ? random.nextBoolean() ? range - 1 : 0 : random.nextInt(range);
                data.set(ValueLayout.JAVA_BYTE, i, (byte) (centred - range / 2 + (signed ? 0 : 128)));
            }
            QuantisedMatrix matrix = QuantisedMatrix.of(data, signed, stride);
            return switch (random.nextInt(3)) {
                case 0 -> matrix;
                case 1 -> matrix.withZeroPoints(memory.randomBytes(1, random));
                default -> matrix.withZeroPoints(memory.randomBytes(terms, random));
            };
        }

        private MemorySegment floats(int count) {
            MemorySegment floats = memory.floats(count);
            for (int i = 0; i < count; i++) {
                floats.setAtIndex(FLOAT, i, (float) (0.0001 + random.nextDouble() * 0.001));
            }
            return floats;
        }

        private QuantisedResult result() {
            QuantisedOutput output = QuantisedOutput.values()[random.nextInt(4)];
            int stride = n + random.nextInt(3);
            MemorySegment data = memory.randomBytes(((long) (m - 1) * stride + n) * output.bytes(), random);
            MemorySegment scales = output == QuantisedOutput.S32 || random.nextInt(4) == 0
                    ? null
                    : floats(random.nextBoolean() ? 1 : n);
            MemorySegment bias = null;
            if (random.nextBoolean()) {
                bias = memory.random(n, random);
                for (int i = 0; i < n && output != QuantisedOutput.F32; i++) {
                    bias.setAtIndex(INT, i, random.nextInt(10000) - 5000);
                }
            }
            Activation[] activations = Activation.values();
            Activation activation =
                    output == QuantisedOutput.F32 ? activations[random.nextInt(activations.length)] : Activation.NONE;
            int zero = output.isQuantised() ? output.least() + random.nextInt(256) : 0;
            boolean small = scales != null && random.nextBoolean();
            return new QuantisedResult(data, output, stride, scales, bias, activation, zero, small);
        }

        void run() {
            MemorySegment packed = memory.bytes(gemm.packedBytes(k, n));
            if (transposed) {
                gemm.packTransposed(b, k, n, packed);
            } else {
                gemm.pack(b, k, n, packed);
            }
            MemorySegment before = MemorySegment.ofArray(c.data().toArray(ValueLayout.JAVA_BYTE));
            boolean plain = !a.signed() && a.hasTermsForAll() && b.signed() && b.zeroPoints() == null;
            MemorySegment scratch = memory.bytes(gemm.scratchBytes(m, k, plain, parallel.width()));
            var product = new QuantisedProduct(a, packed, c, m, n, k);
            Runnable work = () -> gemm.run(product, scratch, parallel);
            if (a.hasTermsForAll()) {
                Rehearsal.run(kernels, random, work, a.data(), a.zeroPoints(), a.scales(), c.scales(), c.bias());
            } else {
                work.run();
            }
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < c.stride() && (i < m - 1 || j < n); j++) {
                    if (j < n) {
                        check(i, j);
                    } else {
                        untouched(before, i, j);
                    }
                }
            }
        }

        private void untouched(MemorySegment before, int row, int column) {
            for (int i = 0; i < c.output().bytes(); i++) {
                long at = ((long) row * c.stride() + column) * c.output().bytes() + i;
                if (before.get(ValueLayout.JAVA_BYTE, at) != c.data().get(ValueLayout.JAVA_BYTE, at)) {
                    throw new AssertionError(this + ": wrote between the rows of C");
                }
            }
        }

        private static int element(QuantisedMatrix matrix, long row, long column) {
            byte value = matrix.data().get(ValueLayout.JAVA_BYTE, row * matrix.stride() + column);
            return matrix.signed() ? value : value & 0xff;
        }

        private void check(int i, int j) {
            int sum = 0;
            for (int x = 0; x < k; x++) {
                int right = transposed ? element(b, j, x) : element(b, x, j);
                sum += (element(a, i, x) - a.zeroPoint(i)) * (right - b.zeroPoint(j));
            }
            long at = (long) i * c.stride() + j;
            float scale = a.scale(i) * scaleOfC(j);
            int intBias = c.bias() == null ? 0 : c.bias().getAtIndex(INT, j);
            switch (c.output()) {
                case S32 -> same(sum + intBias, c.data().getAtIndex(INT, at), i, j);
                case F32 -> {
                    float bias = c.bias() == null ? 0 : c.bias().getAtIndex(FLOAT, j);
                    double expected = Reference.of(c.activation(), sum * scale + bias);
                    float got = c.data().getAtIndex(FLOAT, at);
                    if (!(Math.abs(got - expected) <= 1e-6 + 1e-6 * Math.abs(expected))) {
                        throw new AssertionError(this + ": " + got + " at " + i + ", " + j + ", not " + expected);
                    }
                }
                default -> {
                    double rounded = Math.rint((float) (sum + intBias) * scale) + c.zeroPoint();
                    int expected = (int)
                            Math.clamp(rounded, c.output().least(), c.output().most());
                    byte got = c.data().get(ValueLayout.JAVA_BYTE, at);
                    same(expected, c.output() == QuantisedOutput.S8 ? got : got & 0xff, i, j);
                }
            }
        }

        private float scaleOfC(int column) {
            MemorySegment scales = c.scales();
            return scales == null ? 1 : scales.getAtIndex(FLOAT, scales.byteSize() == 4 ? 0 : column);
        }

        private void same(int expected, int got, int row, int column) {
            if (expected != got) {
                throw new AssertionError(this + ": " + got + " at " + row + ", " + column + ", not " + expected);
            }
        }

        @Override
        public String toString() {
            return "%dx%dx%d%s, A %s, B %s, C %s, %d threads"
                    .formatted(m, k, n, transposed ? " transposed" : "", text(a), text(b), text(c), parallel.width());
        }

        private static String text(QuantisedMatrix matrix) {
            return (matrix.signed() ? "s8" : "u8") + " by " + matrix.stride() + " zeros " + size(matrix.zeroPoints())
                    + " scales " + size(matrix.scales());
        }

        private static String text(QuantisedResult result) {
            return result.output() + " by " + result.stride() + " scales " + size(result.scales()) + " bias "
                    + size(result.bias()) + " " + result.activation() + " zero " + result.zeroPoint();
        }

        private static long size(@Nullable MemorySegment segment) {
            return segment == null ? 0 : segment.byteSize();
        }
    }
}
