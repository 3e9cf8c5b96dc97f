package dev.millrace.micrometer;

import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.Session;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Meters of an engine's requests: {@code millrace.requests} is the time of runs by session and outcome, {@code
 * millrace.queue} how long requests waited for theirs, {@code millrace.waiting} how many wait. Give it to {@link
 * dev.millrace.session.EngineOptions#withRequestListener}.
 */
public final class EngineMeters implements RequestListener {
    private static final String SESSION = "session";

    private final MeterRegistry registry;
    private final Tags tags;

    /** @param tags of every meter, beside those of its own */
    public EngineMeters(MeterRegistry registry, Tag... tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    @Override
    public void ended(RequestReport request) {
        Tags own = tags.and(SESSION, request.session());
        Timer.builder("millrace.requests")
                .description("Time of runs")
                .tags(own.and("outcome", request.outcome()))
                .register(registry)
                .record(request.ran());
        Timer.builder("millrace.queue")
                .description("Time that requests waited for their runs")
                .tags(own)
                .register(registry)
                .record(request.queued());
    }

    /** Counts the requests that wait for a session, for as long as it is there. */
    public void watch(Session session) {
        Gauge.builder("millrace.waiting", session, Session::waiting)
                .description("Requests that wait for their runs")
                .tags(tags.and(SESSION, session.name()))
                .register(registry);
    }
}
