package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.UnpackingMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The compiled form of a partition that a context binary keeps.
 *
 * @param graph the partition's graph
 * @param packed the packed weights that programs read instead of the graph's constants
 * @param strict whether it was compiled with sums as exact as fp32 allows, which its packed weights may be for
 * @param choices the methods that were measured as the fastest when it was compiled, by the work that they do
 * @param left constants whose elements are not kept, since programs read them packed only; compared by identity
 * @param target the vectors that weights are packed for, where constants can be unpacked
 * @param back the unpacking maps of the constants that are left out: of all of them, or none
 */
record StoredPlan(
        Graph graph,
        boolean strict,
        Map<String, String> choices,
        List<PackedWeights> packed,
        Set<Tensor> left,
        String target,
        List<UnpackingMap> back) {

    /** Creates a plan whose packed weights cannot be unpacked. */
    StoredPlan(Graph graph, boolean strict, Map<String, String> choices, List<PackedWeights> packed, Set<Tensor> left) {
        this(graph, strict, choices, packed, left, "", List.of());
    }
}
