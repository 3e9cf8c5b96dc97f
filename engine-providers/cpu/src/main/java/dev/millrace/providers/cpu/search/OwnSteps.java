package dev.millrace.providers.cpu.search;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/**
 * The additional inputs of attention with caches of fixed length. Caches are gathered with their sequences at each
 * step, so that each sequence has its own steps.
 *
 * @param texts the number of texts, each of which has the same number of sequences
 * @param room the number of steps that a cache holds
 */
record OwnSteps(int texts, int room) {
    private static final int STEPS = 2;

    /** Returns the number of steps that a cache has content for, as a tensor. */
    static Tensor length(int steps) {
        return Tensor.copyOf(new int[] {steps}, 1);
    }

    Tensor beams(int sequences) {
        return Tensor.copyOf(new int[] {sequences / texts}, 1);
    }

    /**
     * Returns the table of beams: for each sequence and step the beam of its text that holds the step, which is its
     * own.
     */
    Tensor table(int sequences) {
        int beams = sequences / texts;
        int[] table = new int[sequences * room];
        for (int i = 0; i < sequences; i++) {
            Arrays.fill(table, i * room, (i + 1) * room, i % beams);
        }
        return Tensor.copyOf(table, texts, beams, room);
    }

    /** Returns a cache by row, head and step with the same content, extended to the full length. */
    Tensor withRoom(DynamicContext context, Tensor cache) {
        Shape shape = cache.shape();
        Tensor result = Tensor.allocate(cache.type(), shape.with(STEPS, room));
        long bytes = cache.type().bytes(shape.elements(STEPS, shape.rank()));
        long roomBytes = cache.type().bytes(result.shape().elements(STEPS, shape.rank()));
        for (long block = 0; block < shape.elements(0, STEPS); block++) {
            context.checkCancelled();
            result.segment()
                    .asSlice(block * roomBytes, bytes)
                    .copyFrom(cache.segment().asSlice(block * bytes, bytes));
        }
        return result;
    }
}
