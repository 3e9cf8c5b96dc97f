package dev.millrace.flink;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.jspecify.annotations.Nullable;

/**
 * A model for {@code AsyncDataStream}. The elements under way share runs with those of the other subtasks of the task manager.
 * An element that times out cancels its run.
 *
 * @param <IN> the type of elements
 * @param <OUT> the type of results
 */
public final class MillraceAsyncFunction<IN, OUT> extends RichAsyncFunction<IN, OUT> {
    /**
     * A function from an element to the inputs of the model, of one element along their first axis.
     *
     * @param <IN> the type of elements
     */
    @FunctionalInterface
    public interface ToInputs<IN> extends Serializable {
        Inputs inputs(IN element) throws Exception;
    }

    /**
     * A function from the outputs of the model to a result. The outputs are closed after the call. It runs on a thread of the
     * engine and must not block.
     *
     * @param <IN> the type of elements
     * @param <OUT> the type of results
     */
    @FunctionalInterface
    public interface ToResult<IN, OUT> extends Serializable {
        OUT result(IN element, Outputs outputs) throws Exception;
    }

    private final ModelSettings settings;
    private final ToInputs<IN> toInputs;
    private final ToResult<IN, OUT> toResult;
    private transient @Nullable RuntimeContext whole;
    private transient @Nullable ModelLease lease;
    private transient @Nullable TaskMetrics metrics;
    private transient @Nullable Map<ResultFuture<OUT>, Future<?>> underWay;

    private MillraceAsyncFunction(ModelSettings settings, ToInputs<IN> toInputs, ToResult<IN, OUT> toResult) {
        this.settings = settings;
        this.toInputs = toInputs;
        this.toResult = toResult;
    }

    /** Creates a function over a model, which each task manager opens. */
    public static <IN, OUT> MillraceAsyncFunction<IN, OUT> of(
            ModelSettings settings, ToInputs<IN> toInputs, ToResult<IN, OUT> toResult) {
        return new MillraceAsyncFunction<>(settings, toInputs, toResult);
    }

    @Override
    public void setRuntimeContext(RuntimeContext context) {
        super.setRuntimeContext(context);
        // The context that the super class gives to its subclasses refuses the cache.
        whole = context;
    }

    @Override
    public void open(OpenContext context) throws Exception {
        super.open(context);
        RuntimeContext runtime = Objects.requireNonNull(whole);
        Path file = ModelFile.at(
                settings.model(), name -> runtime.getDistributedCache().getFile(name));
        ModelLease opened = SharedEngine.open(settings, file);
        lease = opened;
        metrics = new TaskMetrics(runtime.getMetricGroup(), opened.counters());
        underWay = new ConcurrentHashMap<>();
    }

    @Override
    public void asyncInvoke(IN element, ResultFuture<OUT> result) throws Exception {
        TaskMetrics counted = Objects.requireNonNull(metrics);
        Map<ResultFuture<OUT>, Future<?>> all = Objects.requireNonNull(underWay);
        long start = System.nanoTime();
        CompletableFuture<@Nullable OUT> answer = Objects.requireNonNull(lease)
                .inference()
                .mono(toInputs.inputs(element))
                .<OUT>handle((outputs, sink) -> {
                    try (outputs) {
                        sink.next(toResult.result(element, outputs));
                    } catch (Exception e) {
                        sink.error(e);
                    }
                })
                .toFuture();
        all.put(result, answer);
        answer.whenComplete((value, failure) -> {
            all.remove(result);
            counted.ended(start, failure != null);
            if (failure == null) {
                result.complete(List.of(Objects.requireNonNull(value)));
            } else if (!answer.isCancelled()) {
                result.completeExceptionally(failure);
            }
        });
    }

    /** Cancels the run of an element, which fails with a {@link java.util.concurrent.TimeoutException}. */
    @Override
    public void timeout(IN element, ResultFuture<OUT> result) throws Exception {
        Future<?> answer = Objects.requireNonNull(underWay).remove(result);
        if (answer != null) {
            answer.cancel(false);
        }
        super.timeout(element, result);
    }

    @Override
    public void close() throws Exception {
        if (underWay != null) {
            underWay.values().forEach(answer -> answer.cancel(false));
        }
        if (lease != null) {
            lease.close();
        }
        super.close();
    }
}
