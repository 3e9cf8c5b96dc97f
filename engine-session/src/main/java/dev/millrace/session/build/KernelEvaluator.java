package dev.millrace.session.build;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Scratch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Folds constants with the providers' own kernels, the last provider's first: the plain one has all. */
final class KernelEvaluator implements ConstantEvaluator {
    private final List<ExecutionProvider> providers;
    private final SharedConstants shared;
    private final Scratch scratch = new Scratch();

    KernelEvaluator(List<ExecutionProvider> providers, SharedConstants shared) {
        this.providers = providers;
        this.shared = shared;
    }

    @Override
    public @Nullable List<Tensor> evaluate(Node node, List<@Nullable Tensor> inputs) {
        Kernel kernel = node.attributes().graphs().isEmpty() ? kernel(node) : null;
        if (kernel == null || kernel instanceof ShapedKernel shaped && !shaped.isPure()) {
            return null;
        }
        var results = new ArrayList<Tensor>();
        for (@Nullable Datum output : DirectRun.run(kernel, node, inputs, scratch)) {
            if (!(output instanceof Tensor tensor)) {
                return null;
            }
            results.add(shared.of(tensor));
        }
        return results;
    }

    private @Nullable Kernel kernel(Node node) {
        for (ExecutionProvider provider : providers.reversed()) {
            KernelFactory kernels = provider.kernels();
            Kernel kernel = kernels == null ? null : kernels.create(node);
            if (kernel != null) {
                return kernel;
            }
        }
        return null;
    }
}
