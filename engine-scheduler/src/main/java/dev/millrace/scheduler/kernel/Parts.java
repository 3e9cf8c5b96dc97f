package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Graph;
import java.util.List;

/**
 * The work of a kernel as smaller steps: a graph, and the kernel of each of its nodes. The graph has the inputs that the
 * kernel's node does not omit. It is planned and bound as a model is, in stretches.
 *
 * @param outputs for each output of the graph, the number of the node's output that it is
 */
public record Parts(Graph graph, List<Integer> outputs, KernelFactory kernels) {
    public Parts {
        outputs = List.copyOf(outputs);
    }
}
