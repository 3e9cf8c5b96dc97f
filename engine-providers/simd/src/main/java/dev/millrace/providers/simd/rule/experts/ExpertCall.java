package dev.millrace.providers.simd.rule.experts;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.providers.simd.program.Call;
import dev.millrace.providers.simd.program.ParallelContext;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The step of a mixture of experts on the memory of a run. */
final class ExpertCall implements Call {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** The fewest floats for which several threads work. */
    private static final long FLOATS_TO_SHARE = 1 << 14;

    private final ExpertStep step;
    private final Weights first;
    private final Weights second;
    private final MemorySegment tokens;
    private final MemorySegment scores;
    private final MemorySegment out;
    private final MemorySegment gathered;
    private final MemorySegment hidden;
    private final MemorySegment outputs;
    private final MemorySegment scratch;

    ExpertCall(ExpertStep step, Weights first, Weights second, RunMemory memory) {
        this.step = step;
        this.first = first;
        this.second = second;
        tokens = memory.segment(step.tokens());
        scores = memory.segment(step.scores());
        out = memory.segment(step.out());
        MemorySegment whole = memory.scratch();
        gathered = whole.asSlice(0, step.hiddenAt());
        hidden = whole.asSlice(step.hiddenAt(), step.outputsAt() - step.hiddenAt());
        outputs = whole.asSlice(step.outputsAt(), step.productsAt() - step.outputsAt());
        scratch = whole.asSlice(step.productsAt());
    }

    /** The packed weights of a layer and its biases. */
    static final class Weights {
        private final PackedExperts layer;
        private final MemorySegment packed;
        private final @Nullable MemorySegment biases;

        Weights(PackedExperts layer, RunMemory memory, View packed, @Nullable View biases) {
            this.layer = layer;
            this.packed = memory.segment(packed);
            this.biases = biases == null ? null : memory.segment(biases);
        }

        /** Computes the results of an expert for some rows, which are {@code apart} floats apart. */
        void multiply(
                int expert,
                MemorySegment from,
                long apart,
                long rows,
                MemorySegment to,
                MemorySegment scratch,
                Parallel crew) {
            long n = layer.n();
            MemorySegment bias = biases == null ? null : biases.asSlice(Float.BYTES * expert * n, Float.BYTES * n);
            MemorySegment own =
                    packed.asSlice(expert * layer.expertBytes(), layer.gemm().packedBytes(layer.k(), n));
            var product = new ExpertGemm.Product(from, apart, own, to, rows, n, layer.k(), bias);
            layer.gemm().run(product, scratch, crew);
        }
    }

    @Override
    public void run(ParallelContext crew) {
        ExpertRouting.Routes routes = step.routing().choose(scores);
        int[] expertOf = routes.expertOf();
        int[] firstOf = new int[step.routing().experts() + 1];
        for (int expert : expertOf) {
            firstOf[expert + 1]++;
        }
        for (int expert = 1; expert < firstOf.length; expert++) {
            firstOf[expert] += firstOf[expert - 1];
        }
        int[] ordered = new int[expertOf.length];
        int[] placeOf = new int[expertOf.length];
        int[] next = firstOf.clone();
        for (int route = 0; route < expertOf.length; route++) {
            placeOf[route] = next[expertOf[route]]++;
            ordered[placeOf[route]] = route;
        }
        for (int expert = 0; expert + 1 < firstOf.length; expert++) {
            crew.checkCancelled();
            if (firstOf[expert] < firstOf[expert + 1]) {
                expert(expert, ordered, firstOf[expert], firstOf[expert + 1], crew);
            }
        }
        add(placeOf, routes.shareOf(), crew);
    }

    /** Computes the results of some routes through an expert. */
    private void expert(int expert, int[] ordered, int from, int end, Parallel crew) {
        int rows = end - from;
        long width = first.layer.k();
        MemorySegment inputs = tokens;
        if (step.routing().tokens() > 1) {
            inputs = gathered;
            for (int i = 0; i < rows; i++) {
                long token = ordered[from + i] / step.routing().chosen();
                long bytes = Float.BYTES * width;
                MemorySegment.copy(tokens, token * bytes, gathered, i * bytes, bytes);
            }
        }
        first.multiply(expert, inputs, width, rows, hidden, scratch, crew);
        shared(rows * first.layer.n(), crew).run(rows, this::activate);
        MemorySegment to = outputs.asSlice(Float.BYTES * from * second.layer.n());
        second.multiply(expert, hidden, first.layer.n(), rows, to, scratch, crew);
    }

    private static Parallel shared(long floats, Parallel crew) {
        return floats >= FLOATS_TO_SHARE ? crew : Parallel.NONE;
    }

    /** Applies the activation to a row of the first layer's results, in place. */
    private void activate(int row) {
        long count = second.layer.k();
        long at = Float.BYTES * row * first.layer.n();
        MemorySegment gates = hidden.asSlice(at, Float.BYTES * count);
        List<MemorySegment> inputs = step.gated()
                ? List.of(gates, hidden.asSlice(at + Float.BYTES * count, Float.BYTES * count))
                : List.of(gates);
        step.function().run(inputs, gates, count, Parallel.NONE);
    }

    /** Adds up the results of the routes of each token, each times its share. */
    private void add(int[] placeOf, float[] shareOf, Parallel crew) {
        int chosen = step.routing().chosen();
        int width = Math.toIntExact(second.layer.n());
        shared((long) placeOf.length * width, crew).run(step.routing().tokens(), token -> {
            float[] sum = new float[width];
            float[] row = new float[width];
            for (int route = token * chosen; route < (token + 1) * chosen; route++) {
                MemorySegment.copy(outputs, FLOAT, (long) Float.BYTES * placeOf[route] * width, row, 0, width);
                for (int i = 0; i < width; i++) {
                    sum[i] += shareOf[route] * row[i];
                }
            }
            MemorySegment.copy(sum, 0, out, FLOAT, (long) Float.BYTES * token * width, width);
        });
    }
}
