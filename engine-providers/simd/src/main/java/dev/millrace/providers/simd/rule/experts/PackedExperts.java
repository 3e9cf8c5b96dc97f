package dev.millrace.providers.simd.rule.experts;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.DataTypes;
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
import java.util.function.Function;
import java.util.stream.Stream;
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
        ExpertGemm gemm,
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
            @Nullable StoredFloats scales,
            @Nullable Tensor zeros,
            @Nullable StoredFloats biases) {
        List<Tensor> weights() {
            return Stream.of(data, scales == null ? null : scales.tensor(), zeros)
                    .filter(Objects::nonNull)
                    .toList();
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
        if (!fits) {
            return null;
        }
        var format = new WeightFormat(type, (int) block, parts.getFirst().zeros() != null);
        ExpertGemm gemm = ExpertGemm.OfWeights.of(op.environment(), format);
        return new PackedExperts(op.environment(), gemm, (int) shape.dim(0), k, n, parts, inTurn);
    }

    /**
     * Returns a layer of a MoE, whose weights are floats; null where they are not constant.
     *
     * @param layers the numbers of the layers of the node that are computed together
     * @param k the inputs of the layer
     * @param inTurn whether rows of gates and of values take turns
     */
    static @Nullable PackedExperts ofFloats(LoweringContext op, List<Integer> layers, long k, boolean inTurn) {
        List<Part> parts = new ArrayList<>();
        long n = 0;
        for (int layer : layers) {
            int input = 2 + 2 * layer;
            Tensor data = op.has(input) ? op.in(input).known() : null;
            StoredFloats biases = op.has(input + 1) ? biases(op, input + 1) : null;
            if (data == null
                    || data.shape().rank() != 3
                    || data.shape().dim(2) != k
                    || (biases == null && op.has(input + 1))) {
                return null;
            }
            parts.add(new Part(data, null, null, biases));
            n += data.shape().dim(1);
        }
        Tensor first = parts.getFirst().data();
        boolean same = parts.stream()
                .allMatch(part -> part.data().type() == first.type()
                        && part.data().shape().equals(first.shape()));
        if (!same || n == 0 || first.shape().dim(0) > Integer.MAX_VALUE) {
            return null;
        }
        ExpertGemm gemm = switch (first.type()) {
            case FLOAT -> ExpertGemm.OfFloats.of(op.environment());
            case FLOAT16 -> ExpertGemm.OfWeights.of(op.environment(), WeightFormat.F16);
            case BFLOAT16 -> ExpertGemm.OfWeights.of(op.environment(), WeightFormat.BF16);
            default -> null;
        };
        return gemm == null
                ? null
                : new PackedExperts(op.environment(), gemm, (int) first.shape().dim(0), k, n, parts, inTurn);
    }

    /** Returns constant biases of any float type; null where there are none. */
    private static @Nullable StoredFloats biases(LoweringContext op, int input) {
        Tensor known = op.in(input).known();
        return known != null && DataTypes.isHalf(known.type())
                ? new StoredFloats(op.environment(), known)
                : StoredFloats.of(op, input);
    }

    private static @Nullable Part part(LoweringContext op, int input, int zeros) {
        Tensor data = op.has(input) ? op.in(input).known() : null;
        StoredFloats scales = StoredFloats.of(op, input + 1);
        Tensor points = op.has(zeros) ? op.in(zeros).known() : null;
        StoredFloats biases = op.has(input + 2) ? StoredFloats.of(op, input + 2) : null;
        boolean known = (points != null || !op.has(zeros)) && (biases != null || !op.has(input + 2));
        return data == null || scales == null || !known ? null : new Part(data, scales, points, biases);
    }

    /** The distance from the packed weights of one expert to those of the next. */
    long expertBytes() {
        return (gemm.packedBytes(k, n) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Returns the packed weights. */
    View weights() {
        long bytes = Math.multiplyExact(experts, expertBytes());
        List<Tensor> sources =
                parts.stream().flatMap(part -> part.weights().stream()).toList();
        Layout layout = Layout.forAllShapes("experts " + (inTurn ? "in turn " : "") + gemm.packedLayout(), bytes);
        MemorySegment memory = environment.weights().packed(sources, layout, this::pack);
        return View.dense(Storage.constant(memory), ElementType.UINT8, Shape.of(bytes));
    }

    private void pack(MemorySegment target) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> data = parts.stream()
                    .map(part -> environment.weights().plain(part.data()))
                    .toList();
            List<MemorySegment> scales = segments(
                    part -> part.scales() == null ? null : part.scales().floats());
            List<MemorySegment> zeros = segments(
                    part -> part.zeros() == null ? null : environment.weights().plain(part.zeros()));
            MemorySegment words = ofExpert(data, arena);
            MemorySegment by = ofExpert(scales, arena);
            MemorySegment points = ofExpert(zeros, arena);
            for (int expert = 0; expert < experts; expert++) {
                order(data, expert, words);
                order(scales, expert, by);
                order(zeros, expert, points);
                var weights = new ExpertGemm.Weights(
                        words, scales.isEmpty() ? null : by, zeros.isEmpty() ? null : points, k, n);
                gemm.pack(weights, target.asSlice(expert * expertBytes(), gemm.packedBytes(k, n)));
            }
        }
    }

    private List<MemorySegment> segments(Function<Part, @Nullable MemorySegment> of) {
        var segments = new ArrayList<MemorySegment>();
        for (Part part : parts) {
            MemorySegment segment = of.apply(part);
            if (segment != null) {
                segments.add(segment);
            }
        }
        return segments;
    }

    /** Allocates memory for what an expert has of all parts. */
    private MemorySegment ofExpert(List<MemorySegment> sources, Arena arena) {
        long bytes = sources.stream().mapToLong(MemorySegment::byteSize).sum() / experts;
        return arena.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
    }

    /** Copies the rows of an expert in the order of the results. */
    private void order(List<MemorySegment> sources, int expert, MemorySegment to) {
        if (sources.isEmpty()) {
            return;
        }
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
