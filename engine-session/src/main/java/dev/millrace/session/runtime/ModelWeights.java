package dev.millrace.session.runtime;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;

/** How much a model weighs. */
final class ModelWeights {
    private ModelWeights() {}

    /** The bytes of a graph's initializers, those of its nested graphs included. */
    static long bytes(Graph graph) {
        long bytes = 0;
        for (Value value : graph.constants()) {
            Tensor constant = value.constant();
            bytes += constant == null ? 0 : constant.type().bytes(constant.elements());
        }
        for (Node node : graph.nodes()) {
            for (Graph nested : node.attributes().graphs()) {
                bytes += bytes(nested);
            }
        }
        return bytes;
    }
}
