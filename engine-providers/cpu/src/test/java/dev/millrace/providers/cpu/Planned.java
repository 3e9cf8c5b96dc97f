package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A {@link OneNode} in a plan of one thread, with inputs whose shapes only the run knows. */
public final class Planned {
    private static final long LONGEST_NANOS = 300_000_000;
    private static final long LEAST_NANOS = 15_000_000;

    private final PlanRunner runner;
    private final Map<String, Datum> inputs = new HashMap<>();

    public Planned(OneNode one, @Nullable Datum... given) {
        Node model = one.node(given);
        var editor = new GraphEditor(Graph.named("planned"));
        List<@Nullable Value> values = new ArrayList<>();
        for (int i = 0; i < given.length; i++) {
            String name = "in" + i;
            Datum datum = given[i];
            ValueType type = datum instanceof Tensor tensor ? ValueType.tensor(tensor.type()) : null;
            values.add(datum == null ? null : editor.addInput(name, type));
            if (datum != null) {
                inputs.put(name, datum);
            }
        }
        NodeSpec spec = NodeSpec.of(model.op(), model.opset(), values.toArray(new Value[0]))
                .with(model.attributes());
        editor.addOutput("out", editor.append(spec, List.of("out")).requireOutput(0));
        var kernels = new CpuKernels();
        this.runner = new PlanRunner(
                PlanBuilder.build(
                        editor.graph(),
                        node -> new PlanBuilder.Assignment(
                                Objects.requireNonNull(kernels.create(node)), "cpu", Device.CPU)),
                new WorkerPool(0),
                1,
                4);
    }

    public Tensor run() {
        return (Tensor) runner.run(inputs::get, new Cancellation(), null)[0];
    }

    /** Returns the exception of a run that is cancelled after some time, or sooner where the run takes less. */
    public Throwable cancelled() throws InterruptedException {
        for (long nanos = LONGEST_NANOS; nanos > LEAST_NANOS; nanos /= 2) {
            Throwable end = cancelledAfter(nanos);
            if (end != null) {
                return end;
            }
        }
        return new AssertionError("the run ended before it was cancelled");
    }

    private @Nullable Throwable cancelledAfter(long nanos) throws InterruptedException {
        var cancellation = new Cancellation();
        var started = new CountDownLatch(1);
        var end = new CompletableFuture<@Nullable Throwable>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                started.countDown();
                runner.run(inputs::get, cancellation, null);
                end.complete(null);
            } catch (Throwable thrown) {
                end.complete(thrown);
            }
        });
        started.await();
        LockSupport.parkNanos(nanos);
        cancellation.cancel();
        return end.join();
    }
}
