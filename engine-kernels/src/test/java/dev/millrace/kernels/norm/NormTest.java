package dev.millrace.kernels.norm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NormTest {
    private static final float EPSILON = 1e-5f;
    private static final NormRows.Variant CENTRED = new NormRows.Variant(true, false, false, false, false);

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofShared();

    private MemorySegment floats(float... numbers) {
        return arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
    }

    private static float[] same(int count, float number) {
        float[] numbers = new float[count];
        Arrays.fill(numbers, number);
        return numbers;
    }

    @Test
    void equalNumbersBecomeZeros() {
        for (int count : new int[] {1, 3, 41, 47, 49, 55, 300}) {
            MemorySegment row = floats(same(count, 1000));
            new RowNorm(kernels.set(), CENTRED, EPSILON).run(RowNorm.Operands.of(row, row), 1, count, Parallel.NONE);
            assertArrayEquals(new float[count], row.toArray(ValueLayout.JAVA_FLOAT), "row of " + count);
            MemorySegment image = floats(same(count, 1000));
            MemorySegment one = floats(1);
            MemorySegment half = floats(0.5f);
            new ChannelNorm(kernels.set())
                    .groups(new ChannelNorm.Images(image, image, one, half, 1, 1, count), 1, 1, Parallel.NONE);
            assertArrayEquals(same(count, 0.5f), image.toArray(ValueLayout.JAVA_FLOAT), "channel of " + count);
        }
    }

    /** Sums of so many of these are rounded, so that the quotient is none of them. */
    @ParameterizedTest
    @ValueSource(floats = {0.1f, 3.3f, -1000.1f, 1e-20f, 1e20f, 3e38f})
    void manyEqualNumbersBecomeZeros(float number) {
        for (int count : new int[] {300, 768, 5000}) {
            assertArrayEquals(
                    new float[count], normalised(EPSILON, true, same(count, number)), 1e-20f, "row of " + count);
            float[] nothing = same(count, Float.NaN);
            assertArrayEquals(nothing, normalised(0, true, same(count, number)), "row of " + count);
            MemorySegment image = floats(same(count, number));
            new ChannelNorm(kernels.set())
                    .groups(
                            new ChannelNorm.Images(image, image, floats(1), floats(0.5f), 1, 1, count),
                            1,
                            EPSILON,
                            Parallel.NONE);
            assertArrayEquals(same(count, 0.5f), image.toArray(ValueLayout.JAVA_FLOAT), "channel of " + count);
        }
    }

    /** Numbers apart by a few of their last places, where the place of the mean between two floats counts. */
    @Test
    void nearlyEqualNumbersAreMeasuredFromTheirMean() {
        Random random = new Random(11);
        for (int count : new int[] {7, 300, 5000}) {
            float[] numbers = new float[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = 3.3f + random.nextInt(4) * Math.ulp(3.3f);
            }
            double mean = 0;
            for (float number : numbers) {
                mean += (double) number / count;
            }
            double variance = 0;
            for (float number : numbers) {
                variance += (number - mean) * (number - mean) / count;
            }
            float[] row = normalised(0, true, numbers);
            for (int i = 0; i < count; i++) {
                assertEquals((numbers[i] - mean) / Math.sqrt(variance), row[i], 1e-4, "of " + count);
            }
        }
    }

    @Test
    void aLargeMeanOfManyNumbersDoesNotDrownTheRest() {
        int count = 1 << 18;
        float[] numbers = new float[count];
        Random random = new Random(3);
        double sum = 0;
        for (int i = 0; i < count; i++) {
            numbers[i] = 100 + (float) random.nextGaussian();
            sum += numbers[i];
        }
        double mean = sum / count;
        double squares = 0;
        for (float number : numbers) {
            squares += (number - mean) * (number - mean);
        }
        double deviation = Math.sqrt(squares / count + EPSILON);
        MemorySegment row = floats(numbers);
        new RowNorm(kernels.set(), CENTRED, EPSILON).run(RowNorm.Operands.of(row, row), 1, count, Parallel.NONE);
        MemorySegment image = floats(numbers);
        new ChannelNorm(kernels.set())
                .groups(
                        new ChannelNorm.Images(image, image, floats(1), floats(0), 1, 1, count),
                        1,
                        EPSILON,
                        Parallel.NONE);
        for (int i = 0; i < count; i++) {
            double wanted = (numbers[i] - mean) / deviation;
            assertEquals(wanted, row.getAtIndex(ValueLayout.JAVA_FLOAT, i), 1e-4, "row");
            assertEquals(wanted, image.getAtIndex(ValueLayout.JAVA_FLOAT, i), 1e-4, "channel");
        }
    }

    private float[] normalised(float epsilon, boolean centred, float... numbers) {
        MemorySegment row = floats(numbers);
        var variant = new NormRows.Variant(centred, false, false, false, false);
        new RowNorm(kernels.set(), variant, epsilon)
                .run(RowNorm.Operands.of(row, row), 1, numbers.length, Parallel.NONE);
        return row.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void squaresThatAreNoFloatsAreMeasuredWithoutThem() {
        float[] roots = {(float) Math.sqrt(2), 0};
        assertArrayEquals(roots, normalised(EPSILON, false, 1e38f, 0), 1e-6f);
        assertArrayEquals(roots, normalised(0, false, 1e-30f, 0), 1e-6f);
        assertArrayEquals(roots, normalised(0, false, 1e-40f, 0), 1e-4f);
        float[] ends = {1, -1, 1, -1};
        assertArrayEquals(ends, normalised(EPSILON, true, 3e38f, 1e38f, 3e38f, 1e38f), 1e-5f);
        assertArrayEquals(ends, normalised(0, true, 1e-40f, 3e-41f, 1e-40f, 3e-41f), 1e-4f);
        assertArrayEquals(ends, normalised(0, true, 1e-24f, -1e-24f, 1e-24f, -1e-24f), 1e-5f);
        float[] little = normalised(1e-36f, false, 1e-18f, 1e-18f);
        assertArrayEquals(new float[] {(float) Math.sqrt(0.5), (float) Math.sqrt(0.5)}, little, 1e-6f);
    }

    @Test
    void whatIsInfiniteOrNothingIsAsInDoubles() {
        float[] infinite = normalised(EPSILON, false, Float.POSITIVE_INFINITY, 1);
        assertArrayEquals(new float[] {Float.NaN, 0}, infinite);
        assertArrayEquals(new float[] {0, 0}, normalised(EPSILON, true, 5, 5));
        assertArrayEquals(new float[] {0, 0}, normalised(1e-38f, false, 0, 0));
        assertArrayEquals(new float[] {Float.NaN, Float.NaN}, normalised(0, true, 5, 5));
    }

    @Test
    void channelsAreMeasuredWithoutSquaresToo() {
        ChannelNorm norm = new ChannelNorm(kernels.set());
        for (float size : new float[] {1e38f, 1, 1e-30f}) {
            MemorySegment image = floats(3 * size, size, 3 * size, size);
            var images = new ChannelNorm.Images(image, image, floats(1), floats(0.5f), 1, 1, 4);
            norm.groups(images, 1, 0, Parallel.NONE);
            float[] ends = {1.5f, -0.5f, 1.5f, -0.5f};
            assertArrayEquals(ends, image.toArray(ValueLayout.JAVA_FLOAT), 1e-5f, "of " + size);
        }
    }

    @Test
    void aNumberThatIsTheMeanOfItsChannelBecomesItsBias() {
        float large = 12_345.678f;
        MemorySegment image = floats(large - 1, large, large + 1, large);
        var images = new ChannelNorm.Images(image, image, floats(0.7f), floats(0.3f), 1, 1, 4);
        new ChannelNorm(kernels.set()).groups(images, 1, EPSILON, Parallel.NONE);
        assertEquals(0.3f, image.getAtIndex(ValueLayout.JAVA_FLOAT, 1));
    }

    @Test
    void oneNaNMakesItsRowNaNAndNoOther() {
        MemorySegment rows = floats(1, 2, Float.NaN, 4, 5, 6, 7, 8);
        new RowNorm(kernels.set(), CENTRED, EPSILON).run(RowNorm.Operands.of(rows, rows), 2, 4, Parallel.NONE);
        for (int i = 0; i < 8; i++) {
            assertEquals(i < 4, Float.isNaN(rows.getAtIndex(ValueLayout.JAVA_FLOAT, i)));
        }
    }

    @Test
    void operandsOfRowsThatDoNotFitAreRefused() {
        RowNorm norm = new RowNorm(kernels.set(), CENTRED, EPSILON);
        MemorySegment in = arena.allocate(64, 4);
        MemorySegment out = arena.allocate(64, 4);
        RowNorm.Operands apart = RowNorm.Operands.of(in, out);
        assertThrows(IllegalArgumentException.class, () -> norm.run(apart, -1, 4, Parallel.NONE));
        assertThrows(IndexOutOfBoundsException.class, () -> norm.run(apart, 2, 9, Parallel.NONE));
        refused(norm, apart.scaledBy(out, null), "the scale");
        refused(norm, RowNorm.Operands.of(in, out.asReadOnly()), "the output");
        refused(norm, RowNorm.Operands.of(in, in.asSlice(4)), "overlaps");
        NormRows.Variant all = new NormRows.Variant(true, true, true, true, true);
        RowNorm full = new RowNorm(kernels.set(), all, EPSILON);
        MemorySegment numbers = arena.allocate(64, 4);
        MemorySegment means = arena.allocate(8, 4);
        MemorySegment deviations = arena.allocate(8, 4);
        MemorySegment skip = arena.allocate(64, 4);
        RowNorm.Operands given =
                apart.after(skip, in).scaledBy(numbers, numbers).keeping(means, deviations);
        full.run(given, 2, 4, Parallel.NONE);
        refused(full, RowNorm.Operands.of(in, out), "what is added");
        refused(full, given.after(skip, skip.asSlice(8)), "overlaps");
        refused(full, given.after(skip, out.asSlice(8)), "overlaps");
        refused(full, given.scaledBy(out, numbers), "overlaps");
        refused(full, given.scaledBy(numbers, in), "overlaps");
        refused(full, given.keeping(deviations, deviations), "overlaps");
        refused(full, given.keeping(means, out), "overlaps");
        refused(full, given.keeping(null, deviations), "the means");
    }

    private static void refused(RowNorm norm, RowNorm.Operands operands, String why) {
        Exception refusal =
                assertThrows(IllegalArgumentException.class, () -> norm.run(operands, 2, 4, Parallel.NONE), why);
        assertTrue(String.valueOf(refusal.getMessage()).contains(why), refusal.getMessage());
    }

    @Test
    void imagesThatDoNotFitAreRefused() {
        ChannelNorm norm = new ChannelNorm(kernels.set());
        MemorySegment data = arena.allocate(96, 4);
        MemorySegment numbers = arena.allocate(16, 4);
        var images = new ChannelNorm.Images(data, data, numbers, numbers, 2, 3, 4);
        norm.groups(images, 3, EPSILON, Parallel.NONE);
        assertThrows(IllegalArgumentException.class, () -> norm.groups(images, 2, EPSILON, Parallel.NONE));
        assertThrows(IllegalArgumentException.class, () -> norm.groups(images, 0, EPSILON, Parallel.NONE));
        var overlapping = new ChannelNorm.Images(data, data.asSlice(16), numbers, numbers, 1, 3, 4);
        assertThrows(IllegalArgumentException.class, () -> norm.scale(overlapping, Parallel.NONE));
        var overFactors = new ChannelNorm.Images(data, data, data, numbers, 1, 3, 4);
        assertThrows(IllegalArgumentException.class, () -> norm.scale(overFactors, Parallel.NONE));
        var longer = new ChannelNorm.Images(data, data, numbers, numbers, 2, 3, 5);
        assertThrows(IndexOutOfBoundsException.class, () -> norm.scale(longer, Parallel.NONE));
        var wide = new ChannelNorm.Images(data, data, numbers, numbers, 1, 5, 4);
        assertThrows(IndexOutOfBoundsException.class, () -> norm.scale(wide, Parallel.NONE));
        var negative = new ChannelNorm.Images(data, data, numbers, numbers, -1, 3, 4);
        assertThrows(IllegalArgumentException.class, () -> norm.scale(negative, Parallel.NONE));
    }

    @Test
    void imagesOfNothingAreDoneAtOnce() {
        ChannelNorm norm = new ChannelNorm(kernels.set());
        MemorySegment none = arena.allocate(0);
        MemorySegment numbers = arena.allocate(16, 4);
        var empty = new ChannelNorm.Images(none, none, numbers, numbers, Integer.MAX_VALUE, 4, 0);
        norm.scale(empty, Parallel.NONE);
        norm.groups(empty, 2, EPSILON, Parallel.NONE);
        var noneOfLarge = new ChannelNorm.Images(none, none, numbers, numbers, 0, 4, 1L << 60);
        norm.groups(noneOfLarge, 4, EPSILON, Parallel.NONE);
    }

    @Test
    void aBatchIsFoldedIntoFactorsAndOffsets() {
        MemorySegment factors = arena.allocate(8, 4);
        MemorySegment offsets = arena.allocate(8, 4);
        ChannelNorm.foldBatch(floats(2, 3), floats(1, -1), floats(4, 5), floats(4, 9), 0, factors, offsets);
        assertArrayEquals(new float[] {1, 1}, factors.toArray(ValueLayout.JAVA_FLOAT));
        assertArrayEquals(new float[] {-3, -6}, offsets.toArray(ValueLayout.JAVA_FLOAT));
        MemorySegment one = floats(1);
        Exception refusal = assertThrows(
                IndexOutOfBoundsException.class,
                () -> ChannelNorm.foldBatch(factors, factors, one, factors, 0, factors, offsets));
        assertTrue(String.valueOf(refusal.getMessage()).contains("the means"), refusal.getMessage());
    }

    @Test
    void wrongKeysAreRefusedByName() {
        KernelKey key = KernelKey.parse("norm.rows:bias=0,centred=1,scale=0,skip=2,stats=0");
        Exception wrong = assertThrows(IllegalArgumentException.class, () -> kernels.describe(key));
        assertTrue(String.valueOf(wrong.getMessage()).contains("skip"), wrong.getMessage());
    }
}
