package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.simd.lower.InternalErrors;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.InferredKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a partition that was kept. Its plan is read when the partition is first run: until then, a session that was
 * opened has touched nothing of it. Its graph has not gone through the optimiser's checks, so what cannot be made of it is
 * a fault of the graph.
 */
public final class ContextKernel implements ShapedKernel {
    private final String partition;
    private @Nullable Supplier<ShapedKernel> reading;
    private volatile @Nullable ShapedKernel kernel;

    /**
     * @param partition the partition's name
     * @param reading makes the kernel of what was kept
     */
    public ContextKernel(String partition, Supplier<ShapedKernel> reading) {
        this.partition = partition;
        this.reading = reading;
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return guarded(() -> read().outputs(node, facts));
    }

    @Override
    public InferredKernel infer(Node node, Facts facts) {
        InferredKernel inferred = guarded(() -> read().infer(node, facts));
        return new InferredKernel(inferred.outputs(), context -> guarded(() -> inferred.bind(context)));
    }

    @Override
    public @Nullable Parts parts(Node node, Facts facts) {
        return guarded(() -> read().parts(node, facts));
    }

    @Override
    public Launch bind(BindContext context) {
        return guarded(() -> read().bind(context));
    }

    /** Reads the plan, unless that was done. */
    void open() {
        guarded(this::read);
    }

    private ShapedKernel read() {
        ShapedKernel known = kernel;
        return known == null ? readOnce() : known;
    }

    private synchronized ShapedKernel readOnce() {
        ShapedKernel known = kernel;
        if (known == null) {
            known = Objects.requireNonNull(reading).get();
            kernel = known;
            reading = null;
        }
        return known;
    }

    private <T extends @Nullable Object> T guarded(Supplier<T> action) {
        try {
            return action.get();
        } catch (RuntimeException e) {
            if (!InternalErrors.isOwn(e) && !(e instanceof EngineException)) {
                throw e;
            }
            throw EngineException.wrap(Status.INVALID_GRAPH, "partition '" + partition + "'", e);
        }
    }
}
