package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kernels of the providers behind one provider, asked in their order. */
public record Fallback(List<ExecutionProvider> behind) implements KernelFactory {
    public Fallback {
        behind = List.copyOf(behind);
    }

    /** Returns the fallback of {@code provider}: the providers behind it in the list of all. */
    public static Fallback behind(ExecutionProvider provider, List<ExecutionProvider> all) {
        return new Fallback(all.subList(all.indexOf(provider) + 1, all.size()));
    }

    @Override
    public @Nullable Kernel create(Node node) {
        for (ExecutionProvider provider : behind) {
            KernelFactory kernels = provider.kernels();
            Kernel kernel = kernels == null ? null : kernels.create(node);
            if (kernel != null) {
                return kernel;
            }
        }
        return null;
    }
}
