package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;

/** Compiles partitions into programs of fast kernels. */
final class SimdProvider implements ExecutionProvider {
    static final String NAME = "simd";

    private final Kernels kernels;
    private final Weights weights = new Weights();

    SimdProvider(Kernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        Claims.claim(name(), graph, sink);
    }

    @Override
    public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        var kit = new Kit(kernels.set(), kernels.gemm(), weights, context.fallback());
        var compiled = new ArrayList<Kernel>(partitions.size());
        for (Partition partition : partitions) {
            context.checkCancelled();
            try {
                compiled.add(new SimdKernel(partition.graph(), kit));
            } catch (RuntimeException e) {
                throw EngineException.wrap(Status.EP_FAIL, "partition '" + partition.name() + "'", e);
            }
        }
        return compiled;
    }
}
