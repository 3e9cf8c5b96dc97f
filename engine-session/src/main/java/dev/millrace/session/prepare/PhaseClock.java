package dev.millrace.session.prepare;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Takes the time of phases that follow each other. */
public final class PhaseClock {
    private final LongSupplier nanoClock;
    private final Map<String, Duration> phases = new LinkedHashMap<>();
    private final Consumer<String> listener;
    private long last;

    public PhaseClock(LongSupplier nanoClock) {
        this(nanoClock, _ -> {});
    }

    /** @param listener hears of each phase when it has ended */
    public PhaseClock(LongSupplier nanoClock, Consumer<String> listener) {
        this.nanoClock = nanoClock;
        this.listener = listener;
        last = nanoClock.getAsLong();
    }

    /** Ends the phase that began with the end of the one before. */
    public void end(String phase) {
        long now = nanoClock.getAsLong();
        phases.merge(phase, Duration.ofNanos(now - last), Duration::plus);
        listener.accept(phase);
        last = nanoClock.getAsLong();
    }

    public Map<String, Duration> phases() {
        return phases;
    }
}
