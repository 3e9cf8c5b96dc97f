package dev.millrace.session.build;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Takes the time of phases that follow each other. */
public final class PhaseClock {
    private final LongSupplier nanoClock;
    private final Map<String, Duration> phases = new LinkedHashMap<>();
    private long last;

    public PhaseClock(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        last = nanoClock.getAsLong();
    }

    /** Ends the phase that began with the end of the one before. */
    public void end(String phase) {
        long now = nanoClock.getAsLong();
        phases.merge(phase, Duration.ofNanos(now - last), Duration::plus);
        last = now;
    }

    public Map<String, Duration> phases() {
        return phases;
    }
}
