package dev.millrace.kernels.norm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Normalised rows with and without mean, scale, bias, a preceding addition, and the statistics of each row. */
public final class RowNormCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float EPSILON = 1e-5f;
    private static final double BOUND = 2e-5;
    /** The magnitudes of the numbers; the squares of the last two overflow and underflow. */
    private static final float[] SIZES = {1, 1, 1e30f, 1e-30f};

    @Override
    public String name() {
        return "norm.rows";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int rows = random.nextInt(small ? 6 : 50);
        int count = 1 + random.nextInt(small ? 70 : 800);
        NormRows.Variant variant = new NormRows.Variant(
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        long elements = (long) rows * count;
        float size = SIZES[random.nextInt(SIZES.length)];
        float epsilon = size < 1 ? 0 : EPSILON;
        MemorySegment in = sized(memory.random(elements, random), elements, size);
        @Nullable MemorySegment skip = variant.skip() ? sized(memory.random(elements, random), elements, size) : null;
        MemorySegment out = oneOf(random, memory.floats(elements), in, skip);
        @Nullable MemorySegment sum = skip == null ? null : oneOf(random, memory.floats(elements), in, skip, out);
        boolean apart = !out.equals(sum);
        @Nullable MemorySegment scale = variant.scale() ? memory.random(count, random) : null;
        @Nullable MemorySegment bias = variant.bias() ? memory.random(count, random) : null;
        @Nullable MemorySegment means = variant.stats() && variant.centred() ? memory.floats(rows) : null;
        @Nullable MemorySegment deviations = variant.stats() ? memory.floats(rows) : null;
        double[] x = new double[(int) elements];
        for (int i = 0; i < elements; i++) {
            float added = skip == null ? 0 : skip.getAtIndex(FLOAT, i);
            x[i] = in.getAtIndex(FLOAT, i) + added;
        }
        var operands = new RowNorm.Operands(in, out, skip, sum, scale, bias, means, deviations);
        Parallel threads = TestThreads.of(1 + random.nextInt(3));
        var norm = new RowNorm(kernels, variant, epsilon);
        Rehearsal.run(kernels, random, () -> norm.run(operands, rows, count, threads), in);
        for (int row = 0; row < rows; row++) {
            String shape = variant + " of " + rows + " x " + count + " of " + size + ", row " + row;
            compare(x, row, count, variant, size, epsilon, out, scale, bias, means, deviations, shape);
            for (int i = row * count; apart && sum != null && i < (row + 1) * count; i++) {
                assertEquals(x[i], sum.getAtIndex(FLOAT, i), 1e-6 * size, shape);
            }
        }
    }

    private static MemorySegment sized(MemorySegment numbers, long count, float size) {
        for (long i = 0; i < count; i++) {
            numbers.setAtIndex(FLOAT, i, numbers.getAtIndex(FLOAT, i) * size);
        }
        return numbers;
    }

    private static MemorySegment oneOf(Random random, MemorySegment first, @Nullable MemorySegment... others) {
        MemorySegment other = others[random.nextInt(others.length)];
        return other == null || random.nextBoolean() ? first : other;
    }

    private static void compare(
            double[] x,
            int row,
            int count,
            NormRows.Variant variant,
            float size,
            float epsilon,
            MemorySegment out,
            @Nullable MemorySegment scale,
            @Nullable MemorySegment bias,
            @Nullable MemorySegment means,
            @Nullable MemorySegment deviations,
            String shape) {
        double mean = 0;
        for (int i = 0; variant.centred() && i < count; i++) {
            mean += x[row * count + i] / count;
        }
        double variance = 0;
        for (int i = 0; i < count; i++) {
            variance += Math.pow(x[row * count + i] - mean, 2) / count;
        }
        double factor = 1 / Math.sqrt(variance + epsilon);
        for (int i = 0; i < count; i++) {
            double wanted = (x[row * count + i] - mean) * factor;
            wanted *= scale == null ? 1 : scale.getAtIndex(FLOAT, i);
            wanted += bias == null ? 0 : bias.getAtIndex(FLOAT, i);
            assertEquals(
                    wanted, out.getAtIndex(FLOAT, (long) row * count + i), BOUND * Math.max(1, factor * size), shape);
        }
        if (means != null) {
            assertEquals(mean, means.getAtIndex(FLOAT, row), 1e-6 * size, shape);
        }
        if (deviations != null) {
            assertEquals(factor, deviations.getAtIndex(FLOAT, row), BOUND * factor, shape);
        }
    }
}
