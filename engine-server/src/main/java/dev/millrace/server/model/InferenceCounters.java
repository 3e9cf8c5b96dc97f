package dev.millrace.server.model;

import dev.millrace.server.protocol.InferBatchStatistics;
import dev.millrace.server.protocol.InferStatistics;
import dev.millrace.server.protocol.ModelStatistics;
import dev.millrace.server.protocol.StatisticDuration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counts and times of one version of a model since it was first loaded. */
public final class InferenceCounters {
    /** How often something happened, and how long it took together. */
    private static final class Sum {
        final LongAdder count = new LongAdder();
        final LongAdder nanos = new LongAdder();

        void add(long time) {
            count.increment();
            nanos.add(time);
        }

        StatisticDuration message() {
            return StatisticDuration.newBuilder()
                    .setCount(count.sum())
                    .setNs(nanos.sum())
                    .build();
        }
    }

    private final Sum success = new Sum();
    private final Sum failure = new Sum();
    /** Counts by the ordinals of their reasons. */
    private final List<LongAdder> failures =
            Stream.generate(LongAdder::new).limit(FailureReason.values().length).toList();

    private final Sum queue = new Sum();
    private final Sum run = new Sum();
    private final Sum input = new Sum();
    private final Sum output = new Sum();
    private final LongAdder rows = new LongAdder();
    private final LatencyHistogram latency = new LatencyHistogram();
    private final Map<Integer, Sum> batches = new ConcurrentSkipListMap<>();
    private volatile long lastMillis;

    /** Counts an answer to a request of so many rows. */
    void answered(long requestRows, long nanos) {
        rows.add(requestRows);
        success.add(nanos);
        latency.add(nanos);
        lastMillis = System.currentTimeMillis();
    }

    void failed(FailureReason reason, long nanos) {
        failure.add(nanos);
        failures.get(reason.ordinal()).increment();
    }

    /** The failed requests with this reason. */
    public long failures(FailureReason reason) {
        return failures.get(reason.ordinal()).sum();
    }

    /** Counts a run of the model. */
    void ran(long queuedNanos, long ranNanos) {
        queue.add(queuedNanos);
        run.add(ranNanos);
    }

    /** Counts a run that answered several requests, beside its count as a run. */
    void joined(int size, long copiedNanos, long ranNanos) {
        batches.computeIfAbsent(size, _ -> new Sum()).add(ranNanos);
        input.add(copiedNanos / 2);
        output.add(copiedNanos - copiedNanos / 2);
    }

    /** The times of answered requests. */
    public LatencyHistogram latency() {
        return latency;
    }

    public ModelStatistics message(String name, String version) {
        var statistics = ModelStatistics.newBuilder()
                .setName(name)
                .setVersion(version)
                .setLastInference(lastMillis)
                .setInferenceCount(rows.sum())
                .setExecutionCount(run.count.sum())
                .setInferenceStats(InferStatistics.newBuilder()
                        .setSuccess(success.message())
                        .setFail(failure.message())
                        .setQueue(queue.message())
                        .setComputeInput(input.message())
                        .setComputeInfer(run.message())
                        .setComputeOutput(output.message())
                        .setCacheHit(StatisticDuration.getDefaultInstance())
                        .setCacheMiss(StatisticDuration.getDefaultInstance()));
        batches.forEach((size, sum) -> statistics.addBatchStats(InferBatchStatistics.newBuilder()
                .setBatchSize(size)
                .setComputeInput(StatisticDuration.getDefaultInstance())
                .setComputeInfer(sum.message())
                .setComputeOutput(StatisticDuration.getDefaultInstance())));
        return statistics.build();
    }
}
