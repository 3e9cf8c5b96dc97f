package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.KernelFactory;

/** Takes, node by node, whatever is left and has a kernel. */
final class CpuProvider implements ExecutionProvider {
    static final String NAME = "cpu";

    private final KernelFactory kernels = new CpuKernels();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        for (Node node : graph.nodes()) {
            if (!sink.isTaken(node) && sink.lookUpKernel(node) != null) {
                sink.single(node);
            }
        }
    }

    @Override
    public KernelFactory kernels() {
        return kernels;
    }

    @Override
    public boolean isSharedBySessions() {
        return true;
    }
}
