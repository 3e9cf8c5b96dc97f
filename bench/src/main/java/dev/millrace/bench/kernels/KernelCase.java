package dev.millrace.bench.kernels;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One row of the table: a kernel at a shape.
 *
 * @param kernel the family, such as {@code gemm.f32}; means are taken over cases of one name
 * @param shape for a reader
 * @param work of one layer
 * @param layers how many layers of that work one run does on both sides: times are divided by it, so that what a chain
 *     does once at its ends is spread over its layers
 * @param tolerance how far numbers of the two answers may be apart
 */
record KernelCase(String kernel, String shape, Work work, int layers, double tolerance, Opener opener) {
    /** A case of one layer whose answers agree to 1e-4. */
    static KernelCase of(String kernel, String shape, Work work, Opener opener) {
        return new KernelCase(kernel, shape, work, 1, 1e-4, opener);
    }

    KernelCase withTolerance(double other) {
        return new KernelCase(kernel, shape, work, layers, other, opener);
    }

    KernelCase withLayers(int count) {
        return new KernelCase(kernel, shape, work, count, tolerance, opener);
    }

    /** Whether a part of the name and shape is what the user asked for. */
    boolean matches(String filter) {
        return (kernel + " " + shape).contains(filter);
    }

    /** Makes both sides ready to run, with the same operands. */
    interface Opener {
        /** @param arena for all memory of ours; it lives as long as the row is measured */
        Sides open(Kernels kernels, Arena arena, Parallel parallel);
    }

    /**
     * The two sides.
     *
     * @param ours one run
     * @param answers what a run of ours writes, by the name of the peer's output
     * @param peer the peer's model, with its inputs; asked for only where there is a peer
     */
    record Sides(Runnable ours, Map<String, Tensor> answers, Supplier<PeerModel> peer) {
        /**
         * Those of one answer.
         *
         * @param peer writes what the peer computes it with
         */
        static Sides of(Runnable ours, Tensor answer, Function<PeerModel, Value> peer) {
            return new Sides(ours, Map.of("y", answer), () -> {
                var model = new PeerModel();
                model.output("y", peer.apply(model));
                return model;
            });
        }
    }
}
