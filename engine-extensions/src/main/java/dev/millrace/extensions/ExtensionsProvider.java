package dev.millrace.extensions;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.KernelFactory;

/** Takes the nodes of the operators that have a kernel here. */
final class ExtensionsProvider implements ExecutionProvider {
    @Override
    public String name() {
        return ExtensionsFactory.NAME;
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        for (Node node : graph.nodes()) {
            if (!sink.isTaken(node) && ExtensionOperators.find(node.op()) != null) {
                sink.single(node);
            }
        }
    }

    @Override
    public KernelFactory kernels() {
        return node -> {
            ExtensionOperator operator = ExtensionOperators.find(node.op());
            return operator == null ? null : operator.kernels().apply(node);
        };
    }

    @Override
    public boolean isSharedBySessions() {
        return true;
    }
}
