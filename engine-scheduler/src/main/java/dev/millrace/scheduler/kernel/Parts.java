package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Graph;

/**
 * The work of a kernel as smaller steps: a graph, and the kernel of each of its nodes. The graph has the inputs that the
 * kernel's node does not omit and the outputs that are read. It is planned and bound as a model is, in stretches.
 */
public record Parts(Graph graph, KernelFactory kernels) {}
