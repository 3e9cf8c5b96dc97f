package dev.millrace.providers.simd.rule.experts;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.lowp.BlockedWeights;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A layer of all experts, whose weights are packed one expert behind the other. Where the activation has gates, their
 * rows are packed before those of the values.
 *
 * @param k the inputs of the layer
 * @param n its results
 */
record PackedExperts(
        CompileEnvironment environment,
        WeightFormat format,
        int experts,
        long k,
        long n,
        List<Part> parts,
        boolean inTurn) {
    private static final int ZEROS = 11;
    private static final int LEAST_BLOCK = 16;
    private static final int MOST_BLOCK = 256;
    private static final long ALIGNMENT = 64;

    /** The weights of an input of the node, with scales, zero points and biases of its rows. */
    private record Part(
            Tensor data,
            StoredFloats scales,
            @Nullable Tensor zeros,
            @Nullable StoredFloats biases) {
        List<Tensor> weights() {
            return zeros == null ? List.of(data, scales.tensor()) : List.of(data, scales.tensor(), zeros);
        }
    }

    /**
     * Returns a layer of a QMoE; null where its weights are not constant, or have blocks that kernels do not know.
     *
     * @param layers the numbers of the layers of the node that are computed together
     * @param k the inputs of the layer
     * @param inTurn whether rows of gates and of values take turns
     */
    static @Nullable PackedExperts of(LoweringContext op, List<Integer> layers, long k, boolean inTurn) {
        long bits = op.attributes().integer("expert_weight_bits", 4);
        long block = op.attributes().integer("block_size", 0);
        boolean known = (bits == 4 || bits == 8)
                && block >= LEAST_BLOCK
                && block <= MOST_BLOCK
                && Long.bitCount(block) == 1
                && k % block == 0;
        if (!known) {
            return null;
        }
        List<Part> parts = new ArrayList<>();
        long n = 0;
        for (int layer : layers) {
            Part part = part(op, 2 + 3 * layer, ZEROS + layer);
            if (part == null
                    || !parts.isEmpty()
                            && (part.zeros() == null) != (parts.getFirst().zeros() == null)) {
                return null;
            }
            parts.add(part);
            n += part.data().shape().dim(1);
        }
        Shape shape = parts.getFirst().data().shape();
        boolean fits = shape.dim(2) * Byte.SIZE == k * bits && shape.dim(0) <= Integer.MAX_VALUE && n > 0;
        var type = bits == 4 ? WeightType.INT4 : WeightType.INT8;
        var format = new WeightFormat(type, (int) block, parts.getFirst().zeros() != null);
        return fits ? new PackedExperts(op.environment(), format, (int) shape.dim(0), k, n, parts, inTurn) : null;
    }

    private static @Nullable Part part(LoweringContext op, int input, int zeros) {
        Tensor data = op.has(input) ? op.in(input).known() : null;
        StoredFloats scales = StoredFloats.of(op, input + 1);
        Tensor points = op.has(zeros) ? op.in(zeros).known() : null;
        StoredFloats biases = op.has(input + 2) ? StoredFloats.of(op, input + 2) : null;
        boolean known = (points != null || !op.has(zeros)) && (biases != null || !op.has(input + 2));
        return data == null || scales == null || !known ? null : new Part(data, scales, points, biases);
    }

    WeightGemm gemm() {
        return environment.driver(format, () -> new WeightGemm(environment.kernels(), format));
    }

    /** The distance from the packed weights of one expert to those of the next. */
    long expertBytes() {
        return (gemm().packedBytes(k, n) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Returns the packed weights. */
    View weights() {
        WeightGemm gemm = gemm();
        long bytes = Math.multiplyExact(experts, expertBytes());
        List<Tensor> sources =
                parts.stream().flatMap(part -> part.weights().stream()).toList();
        Layout layout = Layout.forAllShapes("experts " + (inTurn ? "in turn " : "") + gemm.packedLayout(), bytes);
        MemorySegment memory = environment.weights().packed(sources, layout, this::pack);
        return View.dense(Storage.constant(memory), ElementType.UINT8, Shape.of(bytes));
    }

    private void pack(MemorySegment target) {
        WeightGemm gemm = gemm();
        long blocks = k / format.block();
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> data = parts.stream()
                    .map(part -> environment.weights().plain(part.data()))
                    .toList();
            List<MemorySegment> scales =
                    parts.stream().map(part -> part.scales().floats()).toList();
            List<MemorySegment> zeros = !format.zeros()
                    ? List.of()
                    : parts.stream()
                            .map(part -> environment.weights().plain(Objects.requireNonNull(part.zeros())))
                            .toList();
            int bits = format.type() == WeightType.INT4 ? 4 : 8;
            MemorySegment words = arena.allocate(n * k * bits / Byte.SIZE, ALIGNMENT);
            MemorySegment by = arena.allocate(n * blocks * Float.BYTES, ALIGNMENT);
            MemorySegment points = arena.allocate(n * Math.ceilDiv(blocks * bits, Byte.SIZE), ALIGNMENT);
            for (int expert = 0; expert < experts; expert++) {
                order(data, expert, words);
                order(scales, expert, by);
                if (format.zeros()) {
                    order(zeros, expert, points);
                }
                var weights = new BlockedWeights(
                        format.type(), format.block(), words, by, FloatType.F32, format.zeros() ? points : null);
                gemm.pack(weights, k, n, target.asSlice(expert * expertBytes(), gemm.packedBytes(k, n)));
            }
        }
    }

    /** Copies the rows of an expert in the order of the results. */
    private void order(List<MemorySegment> sources, int expert, MemorySegment to) {
        long bytes = to.byteSize() / n;
        long rows = n / sources.size();
        for (long i = 0; i < n; i++) {
            long row = inTurn ? i % (n / 2) * 2 + i / (n / 2) : i % rows;
            MemorySegment.copy(sources.get((int) (i / rows)), (expert * rows + row) * bytes, to, i * bytes, bytes);
        }
    }

    /** Returns the biases of all experts in the order of the results; null where there are none. */
    @Nullable
    View biases() {
        List<Tensor> sources = parts.stream()
                .map(Part::biases)
                .filter(Objects::nonNull)
                .map(StoredFloats::tensor)
                .toList();
        if (sources.isEmpty()) {
            return null;
        }
        long bytes = Float.BYTES * experts * n;
        Layout layout = Layout.forAllShapes("biases of experts" + (inTurn ? " in turn" : ""), bytes);
        MemorySegment memory = environment.weights().packed(sources, layout, target -> {
            List<MemorySegment> biases = parts.stream().map(this::biases).toList();
            for (int expert = 0; expert < experts; expert++) {
                order(biases, expert, target.asSlice(Float.BYTES * expert * n, Float.BYTES * n));
            }
        });
        return View.dense(Storage.constant(memory), ElementType.FLOAT, Shape.of(experts, n));
    }

    private MemorySegment biases(Part part) {
        StoredFloats biases = part.biases();
        long bytes = Float.BYTES * experts * n / parts.size();
        return biases == null ? MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]) : biases.floats();
    }
}
