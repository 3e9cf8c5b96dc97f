package dev.millrace.flink;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A model that is open for one subtask of a query. */
final class OpenPredictor implements AutoCloseable {
    private final ModelLease lease;
    private final Function<RowData, Mono<RowData>> answers;
    private final TaskMetrics metrics;
    private final Set<CompletableFuture<@Nullable RowData>> underWay = ConcurrentHashMap.newKeySet();

    private OpenPredictor(ModelLease lease, Function<RowData, Mono<RowData>> answers, TaskMetrics metrics) {
        this.lease = lease;
        this.answers = answers;
        this.metrics = metrics;
    }

    static OpenPredictor open(PredictTask task, FunctionContext context) {
        Path file = ModelFile.at(task.settings().model(), context::getCachedFile);
        ModelLease lease = SharedEngine.open(task.settings(), file);
        try {
            return new OpenPredictor(
                    lease,
                    task.answers(lease, file, context::getCachedFile),
                    new TaskMetrics(context.getMetricGroup(), lease.counters()));
        } catch (RuntimeException | Error e) {
            lease.close();
            throw e;
        }
    }

    /** Begins to answer a row. The answer comes on a thread of the engine. */
    CompletableFuture<RowData> answer(RowData row) {
        long start = System.nanoTime();
        CompletableFuture<@Nullable RowData> answer = answers.apply(row).toFuture();
        underWay.add(answer);
        answer.whenComplete((_, failure) -> {
            underWay.remove(answer);
            metrics.ended(start, failure != null);
        });
        return answer.thenApply(Objects::requireNonNull);
    }

    /** Cancels the rows that are under way, then lets the model go. */
    @Override
    public void close() {
        underWay.forEach(answer -> answer.cancel(false));
        lease.close();
    }
}
