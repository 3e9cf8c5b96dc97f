package dev.millrace.session;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Something that happens at an instant, unless it is disposed of before. */
final class Deadline {
    private Deadline() {}

    static Disposable at(Instant when, Runnable action) {
        long nanos;
        try {
            nanos = Math.max(0, Duration.between(Instant.now(), when).toNanos());
        } catch (ArithmeticException _) {
            nanos = Long.MAX_VALUE;
        }
        return Schedulers.parallel().schedule(action, nanos, TimeUnit.NANOSECONDS);
    }
}
