package dev.millrace.kernels.lowp;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Reference;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random products with weights of 16, 8 and 4 bits, or of rows and weights that are both bfloat16. Whatever the way, a
 * sum is within 2e-6 of the sum of what its terms amount to; where rows are rounded, of the rounded terms.
 */
public final class WeightGemmCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    /** One of so many shapes is large even where kernels are interpreted, so that all loops are gone through. */
    private static final int LARGE_ONE_OF = 8;

    private final boolean pairs;

    /** @param pairs whether rows and weights are bfloat16 */
    public WeightGemmCase(boolean pairs) {
        this.pairs = pairs;
    }

    @Override
    public String name() {
        return pairs ? "gemm.bf16" : "gemm.stored";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        boolean tiny = small && !(pairs && random.nextInt(LARGE_ONE_OF) == 0);
        new One(kernels, memory, random, tiny, pairs).run();
    }

    /** A float as it is read back after being stored. */
    static float stored(FloatType type, float value) {
        return switch (type) {
            case F32 -> value;
            case F16 -> Float.float16ToFloat(Float.floatToFloat16(value));
            case BF16 -> {
                int bits = Float.floatToRawIntBits(value);
                int rounded = bits + 0x7fff + (bits >>> 16 & 1) & 0xffff0000;
                yield Float.intBitsToFloat(Float.isNaN(value) ? bits | 0x400000 : rounded);
            }
        };
    }

    static float get(FloatType type, MemorySegment data, long index) {
        return switch (type) {
            case F32 -> data.getAtIndex(FLOAT, index);
            case F16 -> Float.float16ToFloat(data.getAtIndex(SHORT, index));
            case BF16 -> Float.intBitsToFloat(data.getAtIndex(SHORT, index) << 16);
        };
    }

    static void set(FloatType type, MemorySegment data, long index, float value) {
        switch (type) {
            case F32 -> data.setAtIndex(FLOAT, index, value);
            case F16 -> data.setAtIndex(SHORT, index, Float.floatToFloat16(value));
            case BF16 -> data.setAtIndex(SHORT, index, (short) (Float.floatToRawIntBits(stored(type, value)) >>> 16));
        }
    }

    private static final class One {
        private final GuardedMemory memory;
        private final Random random;
        private final WeightFormat format;
        private final FloatType scaleType;
        private final KernelSet kernels;
        private final WeightGemm gemm;
        private final Parallel parallel;
        private final int m;
        private final int n;
        private final int k;
        private final FloatType typeOfA;
        private final FloatType typeOfC;
        private final double[][] weights;
        private final boolean rounded;

        One(KernelSet kernels, GuardedMemory memory, Random random, boolean small, boolean pairs) {
            this.kernels = kernels;
            this.memory = memory;
            this.random = random;
            WeightType type = pairs ? WeightType.BF16 : WeightType.values()[random.nextInt(4)];
            scaleType = random.nextBoolean() ? FloatType.F32 : FloatType.F16;
            boolean halfScales = scaleType == FloatType.F16 && random.nextBoolean();
            format = type.isBlocked()
                    ? new WeightFormat(type, 16 << random.nextInt(small ? 2 : 5), random.nextBoolean(), halfScales)
                    : type == WeightType.F16 ? WeightFormat.F16 : WeightFormat.BF16;
            gemm = new WeightGemm(kernels, format);
            parallel = TestThreads.of(1 + random.nextInt(3));
            int most = small ? 10 : 60;
            m = 1 + random.nextInt(random.nextBoolean() ? 2 : most);
            // wide enough for two panels now and then
            n = 1 + random.nextInt(random.nextInt(4) == 0 ? 3 * most : most);
            int deep = small ? 40 : random.nextInt(10) == 0 ? 1200 : 200;
            k = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(deep);
            typeOfA = pairs ? FloatType.BF16 : FloatType.values()[random.nextInt(3)];
            typeOfC = FloatType.values()[random.nextInt(3)];
            weights = new double[k][n];
            rounded = random.nextBoolean();
        }

        private MemorySegment packed() {
            MemorySegment packed = memory.bytes(gemm.packedBytes(k, n), 4);
            if (format.type().isBlocked()) {
                blocks(packed);
            } else {
                halves(packed);
            }
            return packed;
        }

        private void halves(MemorySegment packed) {
            FloatType type = format.type() == WeightType.F16 ? FloatType.F16 : FloatType.BF16;
            boolean transposed = random.nextBoolean();
            int rows = transposed ? n : k;
            int columns = transposed ? k : n;
            int stride = columns + random.nextInt(3);
            MemorySegment b = memory.bytes(rows == 0 || columns == 0 ? 0 : 2L * ((rows - 1) * stride + columns), 2);
            for (int i = 0; i < k; i++) {
                for (int j = 0; j < n; j++) {
                    int at = transposed ? j * stride + i : i * stride + j;
                    set(type, b, at, random.nextFloat() - 0.5f);
                    weights[i][j] = get(type, b, at);
                }
            }
            if (transposed) {
                gemm.packTransposed(b, stride, k, n, packed);
            } else {
                gemm.pack(b, stride, k, n, packed);
            }
        }

        private void blocks(MemorySegment packed) {
            int bits = format.type() == WeightType.INT4 ? 4 : 8;
            int blocks = (k + format.block() - 1) / format.block();
            int zeroBytes = (blocks * bits + 7) / 8;
            MemorySegment data = memory.randomBytes((long) n * blocks * format.block() * bits / 8, random);
            MemorySegment scales = memory.bytes((long) n * blocks * scaleType.bytes(), 2);
            for (int i = 0; i < n * blocks; i++) {
                set(scaleType, scales, i, (random.nextFloat() + 0.1f) / (1 << bits));
            }
            @Nullable MemorySegment zeros = format.zeros() ? memory.randomBytes((long) n * zeroBytes, random) : null;
            for (int i = 0; i < k; i++) {
                for (int j = 0; j < n; j++) {
                    int block = i / format.block();
                    int inBlock = i % format.block();
                    int index = j * blocks + block;
                    int number = number(data, bits, (long) index * format.block() * bits / 8, inBlock);
                    int zero = zeros == null ? 1 << bits - 1 : number(zeros, bits, (long) j * zeroBytes, block);
                    weights[i][j] = (number - zero) * (double) get(scaleType, scales, index);
                }
            }
            gemm.pack(new BlockedWeights(format.type(), format.block(), data, scales, scaleType, zeros), k, n, packed);
        }

        private static int number(MemorySegment data, int bits, long start, int index) {
            int all = data.get(ValueLayout.JAVA_BYTE, start + (long) index * bits / 8) & 0xff;
            return bits == 8 ? all : all >> 4 * (index % 2) & 15;
        }

        private MemorySegment floats(FloatType type, int rows, int columns, int stride) {
            long count = rows == 0 || columns == 0 ? 0 : (long) (rows - 1) * stride + columns;
            MemorySegment floats = memory.bytes(count * type.bytes(), type.bytes());
            for (long i = 0; i < count; i++) {
                set(type, floats, i, random.nextFloat() - 0.5f);
            }
            return floats;
        }

        void run() {
            MemorySegment packed = packed();
            int lda = k + random.nextInt(3);
            int ldc = n + random.nextInt(3);
            MemorySegment a = floats(typeOfA, m, k, lda);
            MemorySegment c = floats(typeOfC, m, n, ldc);
            Activation[] activations = Activation.values();
            Activation activation = activations[random.nextInt(activations.length)];
            MemorySegment bias = random.nextBoolean() ? memory.random(n, random) : null;
            MemorySegment before = MemorySegment.ofArray(c.toArray(ValueLayout.JAVA_BYTE));
            var product =
                    new WeightProduct(a, typeOfA, lda, packed, c, typeOfC, ldc, m, n, k, bias, activation, rounded);
            MemorySegment scratch = memory.bytes(gemm.scratchBytes(product.extents(), parallel.width()), 4);
            Rehearsal.run(kernels, random, () -> gemm.run(product, scratch, parallel), a, bias);
            for (int i = 0; i < m; i++) {
                double[] row = row(a, (long) i * lda);
                for (int j = 0; j < ldc && (i < m - 1 || j < n); j++) {
                    long at = (long) i * ldc + j;
                    float got = get(typeOfC, c, at);
                    if (j >= n) {
                        same(get(typeOfC, before, at), got, 0, i, j);
                        continue;
                    }
                    double sum = bias == null ? 0 : bias.getAtIndex(FLOAT, j);
                    double size = Math.abs(sum);
                    for (int x = 0; x < k; x++) {
                        double term = row[x] * weights[x][j];
                        sum += term;
                        size += Math.abs(term);
                    }
                    double expected = Reference.of(activation, sum);
                    double last =
                            typeOfC == FloatType.F32 ? 0 : Math.abs(expected) / (typeOfC == FloatType.F16 ? 2000 : 250);
                    same(expected, got, 2e-6 * size + 1e-6 + last, i, j);
                }
            }
        }

        /** A row of A, block by block in steps of which 127 make the largest number where it is rounded. */
        private double[] row(MemorySegment a, long start) {
            double[] row = new double[k];
            for (int x = 0; x < k; x++) {
                row[x] = get(typeOfA, a, start + x);
            }
            int block = format.block();
            for (int first = 0; rounded && format.type() == WeightType.INT4 && first < k; first += block) {
                int end = Math.min(k, first + block);
                double most =
                        Arrays.stream(row, first, end).map(Math::abs).max().orElse(0);
                float step = (float) most / 127;
                float perStep = step == 0 ? 0 : 1 / step;
                for (int x = first; x < end; x++) {
                    row[x] = step * Math.rint((float) row[x] * perStep);
                }
            }
            return row;
        }

        private void same(double expected, float got, double tolerance, int row, int column) {
            if (!(Math.abs(got - expected) <= tolerance)) {
                throw new AssertionError("%s x %s to %s, %dx%dx%d on %d: %s at %d, %d, not %s"
                        .formatted(typeOfA, format, typeOfC, m, k, n, parallel.width(), got, row, column, expected));
            }
        }
    }
}
