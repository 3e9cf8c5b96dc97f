package dev.millrace.flink;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.PredictFunction;
import org.jspecify.annotations.Nullable;

/**
 * Predictions of SQL that wait for each row. Subtasks of one process share runs all the same. The class is public because code
 * that Flink generates calls it.
 */
public final class MillracePredictFunction extends PredictFunction {
    private final PredictTask task;
    private transient @Nullable OpenPredictor predictor;

    MillracePredictFunction(PredictTask task) {
        this.task = task;
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        predictor = OpenPredictor.open(task, context);
    }

    @Override
    public Collection<RowData> predict(RowData row) {
        try {
            return List.of(Objects.requireNonNull(predictor).answer(row).join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public void close() throws Exception {
        if (predictor != null) {
            predictor.close();
        }
        super.close();
    }
}
