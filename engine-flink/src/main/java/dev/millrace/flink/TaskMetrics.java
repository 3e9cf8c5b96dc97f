package dev.millrace.flink;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of a task in the group {@code millrace}: its own rows, failures and latencies, and the runs of the model that it
 * shares with other tasks of the process. Thread-safe.
 */
final class TaskMetrics {
    private final Counter rows;
    private final Counter failures;
    private final Histogram latency;

    TaskMetrics(MetricGroup group, ModelCounters model) {
        MetricGroup own = group.addGroup("millrace");
        rows = own.counter("rows", new SharedCounter());
        failures = own.counter("failures", new SharedCounter());
        latency = own.histogram("latencyMicros", new RecentHistogram());
        own.gauge("modelRuns", (Gauge<Long>) model::runs);
        own.gauge("modelRowsPerRun", (Gauge<Double>) model::rowsPerRun);
        own.gauge("modelMillisPerRun", (Gauge<Double>) model::millisPerRun);
    }

    /** Counts a row that was answered or failed. */
    void ended(long startNanos, boolean isFailure) {
        (isFailure ? failures : rows).inc();
        latency.update(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos));
    }

    /** A counter for several threads: answers come on those of the engine. */
    private static final class SharedCounter implements Counter {
        private final LongAdder count = new LongAdder();

        @Override
        public void inc() {
            count.increment();
        }

        @Override
        public void inc(long n) {
            count.add(n);
        }

        @Override
        public void dec() {
            count.decrement();
        }

        @Override
        public void dec(long n) {
            count.add(-n);
        }

        @Override
        public long getCount() {
            return count.sum();
        }
    }
}
