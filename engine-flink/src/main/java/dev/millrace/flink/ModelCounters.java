package dev.millrace.flink;

import dev.millrace.session.BatchReport;
import dev.millrace.session.RequestReport;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts of a model's runs in this process. Thread-safe. */
final class ModelCounters {
    private final LongAdder runs = new LongAdder();
    private final LongAdder joined = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder ranNanos = new LongAdder();

    void ended(RequestReport run) {
        runs.increment();
        ranNanos.add(run.ranNanos());
    }

    void batchEnded(BatchReport batch) {
        batches.increment();
        joined.add(batch.size());
    }

    long runs() {
        return runs.sum();
    }

    /** Returns the mean number of rows of a run; 0 before the first run. */
    double rowsPerRun() {
        long all = runs();
        return all == 0 ? 0 : (double) (all - batches.sum() + joined.sum()) / all;
    }

    /** Returns the mean time of a run in milliseconds; 0 before the first run. */
    double millisPerRun() {
        long all = runs();
        return all == 0 ? 0 : (double) ranNanos.sum() / all / TimeUnit.MILLISECONDS.toNanos(1);
    }
}
