package dev.millrace.server.model;

import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelDynamicBatching;
import dev.millrace.server.protocol.ModelQueuePolicy;
import dev.millrace.session.RunOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The options of runs: priorities and time limits of requests, with the defaults of the model's configuration. A time limit
 * covers the whole request, its run included.
 */
final class RunSettings {
    private static final long LONGEST_MICROS = Duration.ofDays(365).toNanos() / 1000;

    private final long levels;
    private final long defaultLevel;
    private final boolean overridable;
    private final @Nullable Duration limit;

    RunSettings(ModelConfig config) {
        ModelDynamicBatching batching = config.getDynamicBatching();
        ModelQueuePolicy policy = batching.getDefaultQueuePolicy();
        levels = batching.getPriorityLevels();
        defaultLevel = batching.getDefaultPriorityLevel();
        limit = policy.getDefaultTimeoutMicroseconds() == 0 ? null : micros(policy.getDefaultTimeoutMicroseconds());
        overridable = limit == null || policy.getAllowTimeoutOverride();
    }

    /** Returns an unsigned number of microseconds, a year at most. */
    static Duration micros(long value) {
        return Duration.of(value < 0 ? LONGEST_MICROS : Math.min(value, LONGEST_MICROS), ChronoUnit.MICROS);
    }

    RunOptions.Builder of(InferRequest request) {
        var options = RunOptions.builder().priority(priority(request.priority()));
        Instant deadline = request.deadline();
        Duration time = time(request.timeout());
        if (time != null) {
            Instant end = Instant.now().plus(time);
            deadline = deadline == null || end.isBefore(deadline) ? end : deadline;
        }
        return deadline == null ? options : options.deadline(deadline);
    }

    /** Returns the engine's priority, whose higher values run first. */
    private int priority(long asked) {
        if (levels == 0) {
            return 0;
        }
        long level = asked > 0 && asked <= levels ? asked : defaultLevel;
        return (int) -Math.min(level, Integer.MAX_VALUE);
    }

    private @Nullable Duration time(@Nullable Duration asked) {
        if (limit == null || asked == null) {
            return asked == null ? limit : asked;
        }
        return overridable && asked.compareTo(limit) < 0 ? asked : limit;
    }
}
