package dev.millrace.kernels.lowp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.RecordingLowering;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.ConvertFamily;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmTile;
import dev.millrace.kernels.gemm.PairTile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Products of bfloat16 with bfloat16 for machines that multiply pairs, and for those that do not. */
class PairProductsTest {
    private static final Target WITH = Target.AVX512.with(Set.of(DotOp.BF16));
    private static final int N = 5;

    private static Set<String> families(RecordingLowering lowering) {
        return lowering.keys().stream().map(KernelKey::family).collect(Collectors.toSet());
    }

    private static @Nullable KernelFamily family(String name) {
        return switch (name) {
            case GemmTile.NAME -> new GemmTile();
            case PairTile.NAME -> new PairTile();
            case WeightRow.NAME -> new WeightRow();
            case DecodePanel.NAME -> new DecodePanel();
            case ConvertFamily.NAME -> new ConvertFamily();
            default -> null;
        };
    }

    /** The sums of rows of A times columns of ones, and an element that no row may read between the rows. */
    private static float[] sums(Lowering lowering, float between, float[]... rows) {
        WeightGemm gemm = new WeightGemm(new KernelSet(lowering, PairProductsTest::family), WeightFormat.BF16);
        try (Arena arena = Arena.ofConfined()) {
            int k = rows[0].length;
            MemorySegment b = arena.allocate(2L * k * N, 2);
            for (int i = 0; i < k * N; i++) {
                WeightGemmCase.set(FloatType.BF16, b, i, 1);
            }
            MemorySegment packed = arena.allocate(gemm.packedBytes(k, N), 4);
            gemm.pack(b, N, k, N, packed);
            MemorySegment a = arena.allocate(2L * (rows.length * (k + 1) - 1), 2);
            for (int i = 0; i < a.byteSize() / 2; i++) {
                int column = i % (k + 1);
                WeightGemmCase.set(FloatType.BF16, a, i, column == k ? between : rows[i / (k + 1)][column]);
            }
            MemorySegment c = arena.allocate(4L * rows.length * N, 4);
            Activation none = Activation.NONE;
            FloatType f32 = FloatType.F32;
            var product = new WeightProduct(
                    a, FloatType.BF16, k + 1, packed, c, f32, N, rows.length, N, k, null, none, false);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(product.extents(), 1), 64);
            gemm.run(product, scratch, Parallel.NONE);
            float[] sums = new float[rows.length];
            for (int i = 0; i < sums.length; i++) {
                sums[i] = c.getAtIndex(ValueLayout.JAVA_FLOAT, (long) i * N + N - 1);
            }
            return sums;
        }
    }

    @Test
    void pairsAreMultipliedAsTheyAreStoredWhereAMachineCan() {
        RecordingLowering with = RecordingLowering.of(WITH);
        float[][] rows = {{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 1, 1, 2}};
        assertEquals(List.of(10f, 26f, 5f), list(sums(with, 0, rows)));
        assertEquals(Set.of(PairTile.NAME), families(with));
        RecordingLowering without = RecordingLowering.of(Target.AVX512);
        assertEquals(List.of(10f, 26f, 5f), list(sums(without, 0, rows)));
        assertEquals(Set.of(GemmTile.NAME, ConvertFamily.NAME, DecodePanel.NAME), families(without));
    }

    private static List<Float> list(float[] numbers) {
        List<Float> list = new ArrayList<>();
        for (float number : numbers) {
            list.add(number);
        }
        return list;
    }

    @Test
    void aRowOfOddLengthEndsInAZeroAndNotInWhatFollows() {
        float[][] rows = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}};
        assertEquals(List.of(6f, 15f, 24f, 3f), list(sums(RecordingLowering.of(WITH), Float.NaN, rows)));
        assertEquals(List.of(6f), list(sums(RecordingLowering.of(WITH), Float.NaN, rows[0])));
    }

    @Test
    void denormalsAreZerosAndInfinitiesAndNaNStay() {
        float[][] rows = {
            {Float.MIN_NORMAL / 2, Float.MIN_NORMAL},
            {Float.POSITIVE_INFINITY, 1},
            {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY},
            {1, Float.NaN}
        };
        List<Float> expected = List.of(Float.MIN_NORMAL, Float.POSITIVE_INFINITY, Float.NaN, Float.NaN);
        assertEquals(expected, list(sums(RecordingLowering.of(WITH), 0, rows)));
        assertEquals(1.5f * Float.MIN_NORMAL, sums(RecordingLowering.of(Target.AVX512), 0, rows)[0]);
    }

    @Test
    void aMachineWithoutThemRefusesTheirTiles() {
        KernelKey key = PairTile.key(new GemmTile.Variant(1, 1, false, false, Epilogue.NONE));
        assertRefused("avx512 has no products of bfloat16", key.toString(), Target.AVX512);
        assertRefused("the parameter rows is 7", key.toString().replace("rows=1", "rows=7"), WITH);
    }

    @Test
    void tilesOfPairsReadAByRowsAndOnePackedPanel() {
        String key = PairTile.key(new GemmTile.Variant(1, 1, false, false, Epilogue.NONE))
                .toString();
        assertRefused("the parameter acolumns is 1", key.replace("acolumns=0", "acolumns=1"), WITH);
        assertRefused("the parameter brows is 1", key.replace("brows=0", "brows=1"), WITH);
        assertRefused("the parameter panels is 2", key.replace("panels=1", "panels=2"), WITH);
        assertRefused("the parameter fetch is next", key.replace("fetch=none", "fetch=next"), WITH);
    }

    private static void assertRefused(String reason, String key, Target target) {
        var refusal = assertThrows(
                IllegalArgumentException.class, () -> new PairTile().describe(KernelKey.parse(key), target));
        assertTrue(refusal.toString().contains(reason), refusal::toString);
    }
}
