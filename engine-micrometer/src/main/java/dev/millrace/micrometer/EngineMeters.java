package dev.millrace.micrometer;

import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.session.BatchReport;
import dev.millrace.session.Engine;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.Health;
import dev.millrace.session.MemoryUse;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLabel;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Meters of an engine's requests, by session, version of its model and providers. {@code millrace.requests} is the time
 * of runs, by outcome too; {@code millrace.queue} the time that requests waited for their runs;
 * {@code millrace.batch.size} the number of requests that a batched run answered; {@code millrace.batch.copy} the time
 * of concatenating its requests and splitting its answers. {@code millrace.generation.first} is the time to the first token
 * of a generation, {@code millrace.generation.token} the mean time of its later ones, and {@code millrace.generation.tokens}
 * counts tokens of prompts, those that caches had, and those of answers. To be set by
 * {@link dev.millrace.session.EngineOptions.Builder#requestListener}; the {@code watch} methods add gauges.
 */
public final class EngineMeters implements RequestListener {
    private static final String SESSION = "session";

    private final MeterRegistry registry;
    private final Tags tags;

    /** @param tags the tags of every meter, in addition to its own */
    public EngineMeters(MeterRegistry registry, Tag... tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    @Override
    public void ended(RequestReport request) {
        Tags own = tagsOf(request.of());
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

    @Override
    public void batchEnded(BatchReport batch) {
        Tags own = tagsOf(batch.of());
        DistributionSummary.builder("millrace.batch.size")
                .description("Requests that one run answered, where it answered several")
                .tags(own)
                .register(registry)
                .record(batch.size());
        Timer.builder("millrace.batch.copy")
                .description("Time that it took to put the requests of a run together and their answers apart")
                .tags(own)
                .register(registry)
                .record(batch.copied());
    }

    @Override
    public void generationEnded(GenerationReport generation) {
        Tags own = tagsOf(generation.of());
        if (generation.generatedTokens() > 0) {
            time("millrace.generation.first", "Time to the first token", own, generation.toFirstToken());
        }
        if (generation.generatedTokens() > 1) {
            time("millrace.generation.token", "Mean time of a later token of a generation", own, generation.perToken());
        }
        count("prompt", own, generation.promptTokens());
        count("cached", own, generation.cachedTokens());
        count("generated", own, generation.generatedTokens());
    }

    private void time(String name, String description, Tags own, Duration time) {
        Timer.builder(name)
                .description(description)
                .tags(own)
                .register(registry)
                .record(time);
    }

    private void count(String kind, Tags own, int tokens) {
        Counter.builder("millrace.generation.tokens")
                .description("Tokens of prompts, those of them that caches had, and tokens of answers")
                .tags(own.and("kind", kind))
                .register(registry)
                .increment(tokens);
    }

    private Tags tagsOf(SessionLabel label) {
        return tags.and(
                SESSION, label.name(), "version", label.version(), "provider", String.join("+", label.providers()));
    }

    /**
     * Adds gauges of a session for as long as it exists: {@code millrace.waiting} is the number of requests that wait
     * for it, and {@code millrace.health} is 1 if it is up, 0.5 if it is degraded, 0 if it is down. They take the place of those of an
     * earlier session of its name.
     */
    public void watch(Session session) {
        watch(session.name(), session, Session::waiting, Session::health);
    }

    /**
     * Adds the gauges of a session whose model is replaced, under a name that stays; the version that
     * answered is a tag of the requests.
     */
    public void watch(ReplaceableSession service, String name) {
        watch(name, service, each -> each.current().waiting(), ReplaceableSession::health);
    }

    private <T> void watch(String name, T watched, ToDoubleFunction<T> waiting, Function<T, Health> health) {
        Tags own = tags.and(SESSION, name);
        gauge("millrace.waiting", "Requests that wait for their runs", own, watched, waiting);
        gauge("millrace.health", "Whether requests are answered", own, watched, each -> number(health.apply(each)));
    }

    /**
     * Adds gauges of an engine for as long as it exists: {@code millrace.memory.weights} and
     * {@code millrace.memory.kept} are the bytes that its models hold, {@code millrace.memory.budget} is the limit of
     * both together, {@code millrace.memory.device.held} and {@code millrace.memory.device.used} are the bytes on all devices,
     * and {@code millrace.engine.health} is its health on the scale of {@code millrace.health}.
     */
    public void watch(Engine engine) {
        bytes("millrace.memory.weights", "Weights of open models", engine, MemoryUse::weights);
        bytes("millrace.memory.kept", "Intermediate values kept for later runs", engine, MemoryUse::kept);
        bytes("millrace.memory.budget", "What models may hold", engine, MemoryUse::budget);
        device("millrace.memory.device.held", "Memory of devices that is held", engine, AllocatorStatistics::heldBytes);
        device("millrace.memory.device.used", "Memory of devices in use", engine, AllocatorStatistics::usedBytes);
        gauge("millrace.engine.health", "Whether sessions answer", tags, engine, each -> number(each.health()));
    }

    private void device(String name, String description, Engine engine, ToDoubleFunction<AllocatorStatistics> bytes) {
        Gauge.builder(
                        name,
                        engine,
                        each -> each.deviceMemory().stream()
                                .mapToDouble(use -> bytes.applyAsDouble(use.memory()))
                                .sum())
                .description(description)
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
    }

    private void bytes(String name, String description, Engine engine, ToDoubleFunction<MemoryUse> bytes) {
        Gauge.builder(name, engine, each -> bytes.applyAsDouble(each.memory()))
                .description(description)
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
    }

    /** Registers a gauge in place of one of the same name and tags, whose session or engine may be closed. */
    private <T> void gauge(String name, String description, Tags own, T watched, ToDoubleFunction<T> value) {
        registry.removeByPreFilterId(new Meter.Id(name, own, null, description, Meter.Type.GAUGE));
        Gauge.builder(name, watched, value).description(description).tags(own).register(registry);
    }

    private static double number(Health health) {
        return switch (health.condition()) {
            case UP -> 1;
            case DEGRADED -> 0.5;
            case DOWN -> 0;
        };
    }
}
