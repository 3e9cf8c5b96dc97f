package dev.millrace.flink;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;

/** A histogram of the last {@value #LAST} values. Thread-safe. */
final class RecentHistogram implements Histogram {
    private static final int LAST = 1024;

    private final AtomicLong count = new AtomicLong();
    private final AtomicLongArray values = new AtomicLongArray(LAST);

    @Override
    public void update(long value) {
        values.set((int) (count.getAndIncrement() % LAST), value);
    }

    @Override
    public long getCount() {
        return count.get();
    }

    @Override
    public HistogramStatistics getStatistics() {
        long[] sorted = new long[(int) Math.min(LAST, count.get())];
        Arrays.setAll(sorted, values::get);
        Arrays.sort(sorted);
        return new Statistics(sorted);
    }

    /** The statistics of values in ascending order; all are 0 where there are none. */
    private static final class Statistics extends HistogramStatistics {
        private final long[] sorted;

        Statistics(long[] sorted) {
            this.sorted = sorted;
        }

        @Override
        public double getQuantile(double quantile) {
            int rank = (int) Math.ceil(quantile * sorted.length) - 1;
            return sorted.length == 0 ? 0 : sorted[Math.clamp(rank, 0, sorted.length - 1)];
        }

        @Override
        public long[] getValues() {
            return sorted.clone();
        }

        @Override
        public int size() {
            return sorted.length;
        }

        @Override
        public double getMean() {
            return Arrays.stream(sorted).average().orElse(0);
        }

        @Override
        public double getStdDev() {
            double mean = getMean();
            return Math.sqrt(Arrays.stream(sorted)
                    .mapToDouble(value -> (value - mean) * (value - mean))
                    .average()
                    .orElse(0));
        }

        @Override
        public long getMax() {
            return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
        }

        @Override
        public long getMin() {
            return sorted.length == 0 ? 0 : sorted[0];
        }
    }
}
