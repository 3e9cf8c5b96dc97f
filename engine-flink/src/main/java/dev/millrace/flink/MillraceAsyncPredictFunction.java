package dev.millrace.flink;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;

/**
 * Predictions of SQL with several rows under way, which share runs. The class is public because code that Flink generates calls it.
 */
public final class MillraceAsyncPredictFunction extends AsyncPredictFunction {
    private final PredictTask task;
    private transient @Nullable OpenPredictor predictor;

    MillraceAsyncPredictFunction(PredictTask task) {
        this.task = task;
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        predictor = OpenPredictor.open(task, context);
    }

    @Override
    public CompletableFuture<Collection<RowData>> asyncPredict(RowData row) {
        return Objects.requireNonNull(predictor).answer(row).thenApply(List::of);
    }

    @Override
    public void close() throws Exception {
        if (predictor != null) {
            predictor.close();
        }
        super.close();
    }
}
