package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Constants that were packed together.
 *
 * @param sources the constants, by identity
 * @param layout the layout's name
 */
public record PackedWeights(List<Tensor> sources, String layout, MemorySegment memory) {
    public PackedWeights {
        sources = List.copyOf(sources);
    }
}
