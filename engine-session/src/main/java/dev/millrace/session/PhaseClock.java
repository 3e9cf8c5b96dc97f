package dev.millrace.session;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Takes the time of phases that follow each other. */
final class PhaseClock {
    private final LongSupplier nanoClock;
    private final Map<String, Duration> phases = new LinkedHashMap<>();
    private long last;

    PhaseClock(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        last = nanoClock.getAsLong();
    }

    /** Ends the phase that began with the end of the one before. */
    void end(String phase) {
        long now = nanoClock.getAsLong();
        phases.merge(phase, Duration.ofNanos(now - last), Duration::plus);
        last = now;
    }

    Map<String, Duration> phases() {
        return phases;
    }
}
