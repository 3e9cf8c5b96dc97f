package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.PackedBytes;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.PlaneConv;
import dev.millrace.kernels.conv.TransposedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConvolution;
import dev.millrace.kernels.conv.bytes.QuantisedDepthwiseConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.pool.DepthwiseConv;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.kernels.recurrent.LstmStep;
import dev.millrace.kernels.recurrent.Recurrent;
import dev.millrace.kernels.recurrent.RecurrentSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The name of a layout says all about packed bytes: those with the same name may be used at either level. */
class PackedLayoutsTest {
    private static final int CHANNELS = 24;
    private static final int K = 37;
    private static final int N = 53;
    private static final ConvShape SHAPE =
            ConvShape.flat(1, CHANNELS, CHANNELS, Axis.of(12, 3, 1, 1, 1, 1), Axis.of(12, 3, 1, 1, 1, 1));

    /** A driver that packs. */
    private record Packer(String name, Packing packing) {}

    private interface Packing {
        PackedBytes pack(KernelSet kernels, MemorySegment original, Arena arena);
    }

    private static final List<Packer> PACKERS = List.of(
            new Packer("gemm", (kernels, original, arena) -> {
                Gemm gemm = new Gemm(kernels);
                return packed(
                        gemm.packedLayout(), gemm.packedBytes(K, N), arena, to -> gemm.pack(original, N, K, N, to));
            }),
            new Packer("bytes", (kernels, original, arena) -> {
                QuantisedGemm gemm = new QuantisedGemm(kernels);
                QuantisedMatrix matrix = QuantisedMatrix.of(original, true, N);
                return packed(gemm.packedLayout(), gemm.packedBytes(K, N), arena, to -> gemm.pack(matrix, K, N, to));
            }),
            new Packer("halves", (kernels, original, arena) -> {
                WeightGemm gemm = new WeightGemm(kernels, WeightFormat.F16);
                return packed(
                        gemm.packedLayout(), gemm.packedBytes(K, N), arena, to -> gemm.pack(original, N, K, N, to));
            }),
            new Packer("pairs", (kernels, original, arena) -> {
                WeightGemm gemm = new WeightGemm(kernels, WeightFormat.BF16);
                return packed(
                        gemm.packedLayout(), gemm.packedBytes(K, N), arena, to -> gemm.pack(original, N, K, N, to));
            }),
            new Packer("direct", (kernels, original, arena) -> conv(kernels, original, arena, ConvMethod.DIRECT)),
            new Packer("winograd", (kernels, original, arena) -> conv(kernels, original, arena, ConvMethod.WINOGRAD_4)),
            new Packer("transposed", (kernels, original, arena) -> {
                TransposedConv conv = new TransposedConv(kernels, SHAPE, Expr.input(0));
                return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }),
            new Packer("planes", (kernels, original, arena) -> {
                PlaneConv conv = PlaneConv.of(kernels, SHAPE, Expr.input(0));
                return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }),
            new Packer("transposed planes", (kernels, original, arena) -> {
                PlaneConv conv = PlaneConv.transposed(kernels, SHAPE, Expr.input(0));
                return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }),
            new Packer("depthwise", (kernels, original, arena) -> {
                WindowShape shape = new WindowShape(1, CHANNELS, SHAPE.depth(), SHAPE.height(), SHAPE.width());
                DepthwiseConv conv = new DepthwiseConv(kernels, shape, Expr.input(0));
                return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }),
            new Packer(
                    "conv of bytes",
                    (kernels, original, arena) -> packed(new QuantisedConv(kernels, SHAPE), CHANNELS, original, arena)),
            new Packer(
                    "depthwise of bytes",
                    (kernels, original, arena) ->
                            packed(new QuantisedDepthwiseConv(kernels, SHAPE.inGroups(CHANNELS)), 1, original, arena)),
            new Packer("recurrent", (kernels, original, arena) -> {
                Expr tanh = Expr.input(0).apply(FloatFunction.TANH);
                var variant = new LstmStep.Variant(tanh, tanh, tanh, false, false, false);
                Recurrent layer = Recurrent.lstm(kernels, new Gemm(kernels), List.of(variant), 0);
                var shape = new RecurrentSizes(1, 1, K, N, RecurrentSizes.Direction.FORWARD);
                return packed(
                        layer.packedLayout(),
                        layer.packedBytes(shape),
                        arena,
                        to -> layer.pack(shape, original, original, null, to));
            }));

    private static PackedBytes conv(KernelSet kernels, MemorySegment original, Arena arena, ConvMethod wanted) {
        ConvMethod method = wanted.fits(SHAPE, kernels.target()) ? wanted : ConvMethod.DIRECT;
        Conv conv = new Conv(kernels, SHAPE, false, Expr.input(0), method);
        return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
    }

    private static PackedBytes packed(
            QuantisedConvolution conv, int channelsOfGroup, MemorySegment original, Arena arena) {
        QuantisedMatrix weights = QuantisedMatrix.of(original, true, (long) channelsOfGroup * SHAPE.taps());
        return packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(weights, to));
    }

    private static PackedBytes packed(String layout, long bytes, Arena arena, Consumer<MemorySegment> pack) {
        MemorySegment to = arena.allocate(bytes, 64);
        pack.accept(to);
        return new PackedBytes(layout, to);
    }

    @Test
    void bytesOfOneLayoutAreTheSameAtAllLevels() {
        List<TestLevel> levels = TestLevel.all();
        TreeSet<String> layouts = new TreeSet<>();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment original = new GuardedMemory(arena).random(1 << 16, new Random(1));
            for (Packer packer : PACKERS) {
                Map<String, MemorySegment> known = new HashMap<>();
                for (TestLevel level : levels) {
                    PackedBytes packed = packer.packing().pack(level.kernels(), original, arena);
                    MemorySegment first = known.computeIfAbsent(packed.layout(), _ -> packed.bytes());
                    assertEquals(-1, first.mismatch(packed.bytes()), packer.name() + ", " + packed.layout());
                    layouts.add(packed.layout());
                }
                assertTrue(known.size() > 1, packer.name() + " has but one layout");
            }
        } finally {
            levels.forEach(TestLevel::close);
        }
        assertTrue(layouts.size() >= 2 * PACKERS.size(), "drivers share names of layouts: " + layouts);
    }

    /** Weights are looked for by what they were packed of and their layout: what images and windows they are for doesn't count. */
    @Test
    void bytesOfOneLayoutAreTheSameForAllShapes() {
        Random random = new Random(11);
        Map<String, MemorySegment> known = new HashMap<>();
        List<TestLevel> levels = TestLevel.all();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment original = new GuardedMemory(arena).random(1 << 16, random);
            for (int i = 0; i < 2_000; i++) {
                KernelSet kernels = levels.get(i % levels.size()).kernels();
                PackedBytes packed = ofSomeShape(kernels, original, random, arena);
                MemorySegment first = known.computeIfAbsent(packed.layout(), _ -> packed.bytes());
                assertEquals(-1, first.mismatch(packed.bytes()), packed.layout());
            }
        } finally {
            levels.forEach(TestLevel::close);
        }
        assertTrue(known.size() > 50, "few layouts were seen: " + known.keySet());
    }

    /** Weights of 12 times 4 times 3 times 3, whatever reads them. */
    private static PackedBytes ofSomeShape(KernelSet kernels, MemorySegment original, Random random, Arena arena) {
        int groups = 1 << random.nextInt(3);
        var shape = new ConvShape(
                1, 4 * groups, 12, groups, Axis.pointwise(1 + random.nextInt(2)), threeTaps(random), threeTaps(random));
        return switch (random.nextInt(3)) {
            case 0 -> {
                var conv = new Conv(kernels, shape, false, Expr.input(0), ConvMethod.DIRECT);
                yield packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }
            case 1 -> packed(new QuantisedConv(kernels, shape), 4, original, arena);
            default -> {
                var conv = new TransposedConv(kernels, shape, Expr.input(0));
                yield packed(conv.packedLayout(), conv.packedBytes(), arena, to -> conv.pack(original, null, to));
            }
        };
    }

    private static Axis threeTaps(Random random) {
        int stride = 1 + random.nextInt(3);
        return new Axis(
                1 + random.nextInt(6), 1 + random.nextInt(3), 3, stride, 1 + random.nextInt(3), random.nextInt(5) - 2);
    }
}
