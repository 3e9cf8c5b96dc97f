package dev.millrace.server.metrics;

import dev.millrace.micrometer.EngineMeters;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.server.rest.HttpRouter;
import dev.millrace.server.timeline.RequestTimeline;
import dev.millrace.session.BatchReport;
import dev.millrace.session.Engine;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.SessionLabel;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.HttpMethod;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The meters of the engine under the names {@code millrace_*}, and those of models under Triton's names {@code nv_*}. */
public final class ServerMetrics implements RequestListener {
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final EngineMeters meters = new EngineMeters(registry);
    private final RequestListener other;
    private @Nullable ModelRepository repository;

    /** @param other hears of the same requests; may be null */
    public ServerMetrics(@Nullable RequestListener other) {
        this.other = other == null ? _ -> {} : other;
    }

    /**
     * Adds the engine's memory and health, the models of a repository, and the requests of a port. Called once, before the
     * routes are asked.
     */
    public void watch(Engine engine, ModelRepository models, HttpRouter router) {
        Gauge.builder("millrace.http.active", router, HttpRouter::active)
                .description("Requests that are being handled")
                .register(registry);
        meters.watch(engine);
        repository = models;
    }

    /** Returns meters of generative requests under OpenTelemetry's names. */
    public Consumer<RequestTimeline> generations() {
        return new GenerationMeters(registry)::add;
    }

    /** Adds the route of metrics. */
    public void addTo(HttpRouter router) {
        router.route(HttpMethod.GET, "metrics", _ -> Mono.fromSupplier(() -> HttpAnswer.text(TEXT, text())));
    }

    private String text() {
        return repository == null ? registry.scrape() : registry.scrape() + ModelMetrics.text(repository.loaded());
    }

    @Override
    public void began(SessionLabel of, String tag) {
        other.began(of, tag);
    }

    @Override
    public void joined(SessionLabel of, String tag, int requests) {
        other.joined(of, tag, requests);
    }

    @Override
    public void ended(RequestReport request) {
        meters.ended(request);
        other.ended(request);
    }

    @Override
    public void generationEnded(GenerationReport generation) {
        meters.generationEnded(generation);
        other.generationEnded(generation);
    }

    @Override
    public void batchEnded(BatchReport batch) {
        meters.batchEnded(batch);
        other.batchEnded(batch);
    }
}
