package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.WayBack;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is kept of a partition.
 *
 * @param graph the partition's graph
 * @param packed what programs read instead of the graph's constants
 * @param strict whether it was compiled with sums as exact as fp32 allows, which its packed weights may be for
 * @param choices the ways that were measured when it was compiled, by the work that is done in them
 * @param left constants whose elements are not kept, since programs read them packed only; by identity
 * @param target the vectors that weights are packed for, where there are ways back
 * @param back how the constants that are left out can be put back, all of them or none
 */
record Plan(
        Graph graph,
        boolean strict,
        Map<String, String> choices,
        List<PackedWeights> packed,
        Set<Tensor> left,
        String target,
        List<WayBack> back) {

    /** A plan without a way back. */
    Plan(Graph graph, boolean strict, Map<String, String> choices, List<PackedWeights> packed, Set<Tensor> left) {
        this(graph, strict, choices, packed, left, "", List.of());
    }
}
