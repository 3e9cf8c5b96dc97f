package dev.millrace.providers.cpu.search;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/**
 * What attention with a cache of fixed room asks for. Caches follow their sequences from step to step, so that each sequence
 * has its own steps.
 *
 * @param texts how many texts sequences are for, as many for each
 * @param room how many steps a cache holds
 */
record OwnSteps(int texts, int room) {
    private static final int STEPS = 2;

    /** How many steps a cache has content for. */
    static Tensor length(int steps) {
        return Tensor.copyOf(new int[] {steps}, 1);
    }

    Tensor beams(int sequences) {
        return Tensor.copyOf(new int[] {sequences / texts}, 1);
    }

    /** For each sequence and step, the beam of its text that has the step: its own. */
    Tensor table(int sequences) {
        int beams = sequences / texts;
        int[] table = new int[sequences * room];
        for (int i = 0; i < sequences; i++) {
            Arrays.fill(table, i * room, (i + 1) * room, i % beams);
        }
        return Tensor.copyOf(table, texts, beams, room);
    }

    /** A cache by row, head and step, with the same content and room for all steps. */
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
