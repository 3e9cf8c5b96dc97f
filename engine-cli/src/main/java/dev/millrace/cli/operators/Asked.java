package dev.millrace.cli.operators;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks a provider whether it takes a node. */
final class Asked implements CapabilitySink {
    /** Stands for a kernel that wants more than is there to be made. */
    private static final ShapedKernel SOME = context -> {
        throw EngineException.notImplemented("this kernel only says that there is one");
    };

    private final ExecutionProvider provider;
    private final List<ExecutionProvider> all;
    private boolean taken;

    private Asked(ExecutionProvider provider, List<ExecutionProvider> all) {
        this.provider = provider;
        this.all = all;
    }

    /** @param all who is there to fall back to */
    static boolean takes(ExecutionProvider provider, List<ExecutionProvider> all, Graph graph) {
        var asked = new Asked(provider, all);
        provider.claim(graph, asked);
        return asked.taken;
    }

    @Override
    public void fuse(Collection<Node> nodes) {
        taken |= !nodes.isEmpty();
    }

    @Override
    public void single(Node node) {
        taken = true;
    }

    @Override
    public void whole(Node node) {
        taken = true;
    }

    @Override
    public @Nullable Kernel lookUpKernel(Node node) {
        return kernel(provider, node);
    }

    @Override
    public @Nullable Kernel lookUpFallback(Node node) {
        for (ExecutionProvider other : all) {
            Kernel kernel = other == provider ? null : kernel(other, node);
            if (kernel != null) {
                return kernel;
            }
        }
        return null;
    }

    private static @Nullable Kernel kernel(ExecutionProvider of, Node node) {
        KernelFactory kernels = of.kernels();
        try {
            return kernels == null ? null : kernels.create(node);
        } catch (EngineException wantsMore) {
            // a kernel that looks at its node's attributes is there
            return SOME;
        }
    }

    @Override
    public boolean isTaken(Node node) {
        return false;
    }
}
