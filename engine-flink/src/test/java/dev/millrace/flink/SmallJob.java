package dev.millrace.flink;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** The life of a task, for a class loader of its own. */
public final class SmallJob {
    static final int ROWS = 200;

    private SmallJob() {}

    /** Opens a model twice, runs rows in batches and returns the number of rows that were answered. */
    public static int run(Path model) {
        ModelSettings settings = ModelSettings.of(model.toString());
        try (ModelLease lease = SharedEngine.open(settings, model);
                ModelLease other = SharedEngine.open(settings, model)) {
            var metrics = new TaskMetrics(new UnregisteredMetricsGroup(), other.counters());
            var answers = new ArrayList<CompletableFuture<Outputs>>();
            for (int i = 0; i < ROWS; i++) {
                Inputs inputs = Inputs.of("input_ids", Tensor.copyOf(new long[] {i % 3}, 1, 1))
                        .and("attention_mask", Tensor.copyOf(new long[] {1}, 1, 1));
                answers.add(lease.inference().mono(inputs).toFuture());
            }
            answers.forEach(answer -> answer.join().close());
            metrics.ended(System.nanoTime(), false);
            return answers.size();
        }
    }
}
