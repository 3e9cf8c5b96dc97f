package dev.millrace.session.util;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Arithmetic on the deadlines of runs, and timers for them. */
public final class Deadline {
    private Deadline() {}

    /** Returns the instant that is {@code time} from now; the last instant, or the first, on overflow. */
    public static Instant after(Duration time) {
        try {
            return Instant.now().plus(time);
        } catch (ArithmeticException | DateTimeException _) {
            return time.isNegative() ? Instant.MIN : Instant.MAX;
        }
    }

    /** Returns a duration in nanoseconds, saturated at the range of {@code long}. */
    public static long nanos(Duration time) {
        try {
            return time.toNanos();
        } catch (ArithmeticException _) {
            return time.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /**
     * Returns the instant itself if it lies ahead.
     *
     * @throws EngineException if it has passed
     */
    public static Instant ahead(Instant when) {
        Instant now = Instant.now();
        if (when.isAfter(now)) {
            return when;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos(Duration.between(when, now)));
        throw new EngineException(
                Status.DEADLINE_EXCEEDED,
                "the run's deadline, " + when + ", had passed " + millis + " ms before it began");
    }

    /** Returns the failure of a request whose deadline passes while it waits. */
    public static EngineException passed() {
        return new EngineException(Status.DEADLINE_EXCEEDED, "the run's deadline passed before it began");
    }

    public static Disposable at(Instant when, Runnable action) {
        long nanos = Math.max(0, nanos(Duration.between(Instant.now(), when)));
        return Schedulers.parallel().schedule(action, nanos, TimeUnit.NANOSECONDS);
    }
}
