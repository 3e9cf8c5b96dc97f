package dev.millrace.session.prepare;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.Blocks;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Folds constants with the providers' own kernels, the last provider's first: the plain one has all. Kernels of devices
 * that work on their own read no memory of the host, and are not asked.
 */
final class KernelEvaluator implements ConstantEvaluator {
    private final List<ExecutionProvider> providers;
    private final SharedConstants shared;
    private final Scratch scratch = new Scratch();
    /** Tensors whose memory was made for them here. */
    private final Set<Tensor> own = Collections.newSetFromMap(new IdentityHashMap<>());

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
        for (@Nullable Datum output : DirectRun.run(kernel, node, inputs, scratch, own::add)) {
            if (!(output instanceof Tensor tensor)) {
                return null;
            }
            results.add(shared(tensor));
        }
        return results;
    }

    private Tensor shared(Tensor fresh) {
        Tensor known = shared.of(fresh, this);
        if (known != fresh && own.remove(fresh)) {
            Blocks.empty(fresh.segment());
        }
        return known;
    }

    @Override
    public boolean takeBack(Tensor tensor) {
        return own.remove(tensor) && shared.takeBack(tensor, this);
    }

    private @Nullable Kernel kernel(Node node) {
        for (ExecutionProvider provider : providers.reversed()) {
            KernelFactory kernels = provider.device().isAsynchronous() ? null : provider.kernels();
            Kernel kernel = kernels == null ? null : kernels.create(node);
            if (kernel != null) {
                return kernel;
            }
        }
        return null;
    }
}
