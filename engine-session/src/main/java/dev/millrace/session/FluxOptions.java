package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a stream of requests. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param concurrency the number of runs at the same time; 0 for the session's concurrency
 * @param ordered whether answers come in the order of the requests; otherwise they come in the order of completion
 * @param prefetch the number of answers that are computed before the subscriber requests them
 * @param deadline the time limit of each request, from its arrival to its answer; null for none
 * @param outputs the names of the outputs to return; empty for all
 * @param priority the priority among the waiting runs of the session: higher values run first
 * @param retries the number of retries of a request that a full queue refused, after 1 ms, 2 ms, 4 ms and so on. No other
 *     failure is retried, because a retry would fail again
 * @param onDevice the names of the outputs that stay on the device that computes them; {@link RunOptions#ALL} for all
 */
public record FluxOptions(
        int concurrency,
        boolean ordered,
        int prefetch,
        @Nullable Duration deadline,
        List<String> outputs,
        int priority,
        int retries,
        List<String> onDevice) {
    private static final FluxOptions DEFAULTS = builder().build();

    public FluxOptions {
        outputs = Failures.all(outputs, "outputs");
        onDevice = Failures.all(onDevice, "onDevice");
        if (concurrency < 0 || prefetch < 0 || retries < 0) {
            throw EngineException.invalidArgument("concurrency " + concurrency + ", prefetch " + prefetch
                    + " and retries " + retries + " are not negative");
        }
    }

    public static FluxOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .concurrency(concurrency)
                .ordered(ordered)
                .prefetch(prefetch)
                .deadline(deadline)
                .outputs(outputs)
                .priority(priority)
                .retries(retries)
                .leaveOnDevice(onDevice);
    }

    /**
     * Returns the options of a request that arrives now: the outputs, the priority, a deadline counted from now, and a new
     * cancellation.
     */
    public RunOptions forRun() {
        Instant until = deadline == null ? null : Deadline.after(deadline);
        return RunOptions.builder()
                .outputs(outputs)
                .deadline(until)
                .priority(priority)
                .leaveOnDevice(onDevice)
                .build();
    }

    /** A builder of options of a stream. Every option has a default. */
    public static final class Builder {
        private int concurrency;
        private boolean ordered = true;
        private int prefetch;
        private @Nullable Duration deadline;
        private List<String> outputs = List.of();
        private int priority;
        private int retries;
        private List<String> onDevice = List.of();

        private Builder() {}

        public Builder concurrency(int value) {
            concurrency = value;
            return this;
        }

        /**
         * Sets whether answers come in the order of the requests. If they do not, {@link Inference#results} says which
         * request each answer belongs to.
         */
        public Builder ordered(boolean value) {
            ordered = value;
            return this;
        }

        public Builder prefetch(int value) {
            prefetch = value;
            return this;
        }

        public Builder deadline(@Nullable Duration value) {
            deadline = value;
            return this;
        }

        public Builder outputs(String... names) {
            return outputs(Failures.each(names, "outputs"));
        }

        /** Sets the names of the outputs to return; an empty list means all. */
        public Builder outputs(List<String> names) {
            outputs = names;
            return this;
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        public Builder retries(int value) {
            retries = value;
            return this;
        }

        public Builder leaveOnDevice(String... names) {
            return leaveOnDevice(Failures.each(names, "onDevice"));
        }

        /** Sets the names of the outputs that stay on the device that computes them; {@link RunOptions#ALL} for all. */
        public Builder leaveOnDevice(List<String> names) {
            onDevice = names;
            return this;
        }

        public FluxOptions build() {
            return new FluxOptions(concurrency, ordered, prefetch, deadline, outputs, priority, retries, onDevice);
        }
    }
}
