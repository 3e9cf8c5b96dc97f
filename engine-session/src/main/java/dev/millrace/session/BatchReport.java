package dev.millrace.session;

import java.time.Duration;

/**
 * A run that answered several requests.
 *
 * @param of whose it was
 * @param size how many requests it answered
 * @param copiedNanos how long it took to lay their inputs side by side and to give each its part of the outputs
 * @param ranNanos how long the run itself took
 */
public record BatchReport(SessionLabel of, int size, long copiedNanos, long ranNanos) {
    public Duration copied() {
        return Duration.ofNanos(copiedNanos);
    }

    public Duration ran() {
        return Duration.ofNanos(ranNanos);
    }
}
