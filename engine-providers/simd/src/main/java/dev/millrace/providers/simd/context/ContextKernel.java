package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.simd.lower.Faults;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a partition that was kept. Its graph has not gone through the optimiser's checks, so what cannot be made of
 * it is a fault of the graph.
 *
 * @param partition the partition's name
 */
public record ContextKernel(String partition, ShapedKernel kernel) implements ShapedKernel {
    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return guarded(() -> kernel.outputs(node, facts));
    }

    @Override
    public Launch bind(BindContext context) {
        return guarded(() -> kernel.bind(context));
    }

    private <T> T guarded(Supplier<T> action) {
        try {
            return action.get();
        } catch (RuntimeException e) {
            if (!Faults.isOwn(e) && !(e instanceof EngineException)) {
                throw e;
            }
            throw EngineException.wrap(Status.INVALID_GRAPH, "partition '" + partition + "'", e);
        }
    }
}
