package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedWeights;
import java.util.List;
import java.util.Set;

/**
 * What is kept of a partition.
 *
 * @param graph the partition's graph
 * @param packed what programs read instead of the graph's constants
 * @param left constants whose elements are not kept, since programs read them packed only; by identity
 */
record Plan(Graph graph, List<PackedWeights> packed, Set<Tensor> left) {}
