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
 * @param shape the shape for a reader
 * @param work the work of one layer
 * @param layers the number of layers of that work that one run does on both sides: times are divided by it, so that the
 *     work at the ends of a chain is amortised over its layers
 * @param tolerance the allowed difference between the two answers
 */
record KernelCase(String kernel, String shape, LayerWork work, int layers, double tolerance, Opener opener) {
    /** Returns a case of one layer whose answers agree to 1e-4. */
    static KernelCase of(String kernel, String shape, LayerWork work, Opener opener) {
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

    /** Prepares both sides to run, with the same operands. */
    interface Opener {
        /** @param arena the arena of all of this engine's memory; it lives as long as the row is measured */
        Sides open(Kernels kernels, Arena arena, Parallel parallel);
    }

    /**
     * The two sides.
     *
     * @param ours one run of this engine
     * @param answers the outputs of this engine's run, by the names of the reference's outputs
     * @param reference the reference's model, with its inputs; asked for only if there is a reference
     */
    record Sides(Runnable ours, Map<String, Tensor> answers, Supplier<ReferenceModel> reference) {
        /**
         * Returns the sides of a case with one output.
         *
         * @param reference adds the nodes with which the reference computes it
         */
        static Sides of(Runnable ours, Tensor answer, Function<ReferenceModel, Value> reference) {
            return new Sides(ours, Map.of("y", answer), () -> {
                var model = new ReferenceModel();
                model.output("y", reference.apply(model));
                return model;
            });
        }
    }
}
