package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.Kernel;
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
            Kernel kernel = sink.isTaken(node) ? null : sink.lookUpKernel(node);
            if (kernel instanceof LoweredInRun) {
                sink.whole(node);
            } else if (kernel != null) {
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
