package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.session.BatchReport;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.Inputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLabel;
import dev.millrace.session.SessionOptions;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineMetersTest {
    @Test
    void theMemoryOfDevicesIsMeasured() {
        var registry = new SimpleMeterRegistry();
        var device = new ThreadedFactory("device", 0, "Relu");
        var options =
                SessionOptions.builder().provider("device").provider("cpu").build();
        try (Engine engine = Engine.create(
                        EngineOptions.builder().providers(List.of(device)).build());
                Session session = engine.session(TestModel.relu(), options)) {
            new EngineMeters(registry).watch(engine);
            session.run(Inputs.of("x", 1f, 2f)).close();
            assertThat(gauge(registry, "millrace.memory.device.used")).isPositive();
            assertThat(gauge(registry, "millrace.memory.device.held"))
                    .isEqualTo(device.device().usedBytes());
        }
    }

    @Test
    void requestsAreMeteredBySessionAndOutcome() {
        var registry = new SimpleMeterRegistry();
        var meters = new EngineMeters(registry, Tag.of("host", "one"));
        try (Engine engine = Engine.create(
                        EngineOptions.builder().requestListener(meters).build());
                Session session = engine.session(
                        TestModel.relu(),
                        SessionOptions.builder().name("relu of two").build())) {
            meters.watch(session);
            for (int i = 0; i < 3; i++) {
                session.run(Inputs.of("x", -1f, 1f)).close();
            }
            session.mono(Inputs.of("x", -1f, 1f)).blockOptional().orElseThrow().close();
            assertThatThrownBy(() -> session.run(Inputs.empty())).isInstanceOf(EngineException.class);
            var answered = registry.get("millrace.requests")
                    .tags("session", "relu of two", "outcome", "OK", "host", "one")
                    .timer();
            assertThat(answered.count()).isEqualTo(4);
            assertThat(answered.totalTime(TimeUnit.NANOSECONDS)).isPositive();
            assertThat(registry.get("millrace.requests")
                            .tag("outcome", "INVALID_ARGUMENT")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("millrace.queue").timer().count()).isEqualTo(5);
            assertThat(registry.get("millrace.waiting").gauge().value()).isZero();
        }
    }

    @Test
    void versionsAndProvidersAreToldApart() {
        var registry = new SimpleMeterRegistry();
        try (Engine engine = Engine.create(EngineOptions.builder()
                .requestListener(new EngineMeters(registry))
                .build())) {
            for (String version : List.of("1", "2")) {
                var options = SessionOptions.builder()
                        .version(version)
                        .provider("cpu")
                        .build();
                try (Session session = engine.session(TestModel.relu(), options)) {
                    session.run(Inputs.of("x", -1f, 1f)).close();
                }
                assertThat(registry.get("millrace.requests")
                                .tags("session", "relu", "version", version, "provider", "cpu")
                                .timer()
                                .count())
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void batchesAreMetered() {
        var registry = new SimpleMeterRegistry();
        var label = new SessionLabel("relu", "1", List.of("simd", "cpu"));
        new EngineMeters(registry).batchEnded(new BatchReport(label, 8, 2_000, 50_000));
        var size = registry.get("millrace.batch.size")
                .tags("session", "relu", "version", "1", "provider", "simd+cpu")
                .summary();
        assertThat(size.mean()).isEqualTo(8);
        assertThat(registry.get("millrace.batch.copy").timer().totalTime(TimeUnit.NANOSECONDS))
                .isEqualTo(2_000);
    }

    @Test
    void generationsAreMetered() {
        var registry = new SimpleMeterRegistry();
        var label = new SessionLabel("llama", "1", List.of("simd", "cpu"));
        var meters = new EngineMeters(registry);
        meters.generationEnded(new GenerationReport(label, 100, 80, 11, 5_000, 15_000, "STOP_TOKEN"));
        meters.generationEnded(new GenerationReport(label, 10, 0, 1, 7_000, 7_000, "MAX_TOKENS"));
        meters.generationEnded(new GenerationReport(label, 10, 0, 0, 0, 9_000, "FAILED"));
        String[] tags = {"session", "llama", "version", "1", "provider", "simd+cpu"};
        var first = registry.get("millrace.generation.first").tags(tags).timer();
        assertThat(first.count()).isEqualTo(2);
        assertThat(first.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(12_000);
        var later = registry.get("millrace.generation.token").tags(tags).timer();
        assertThat(later.count()).isEqualTo(1);
        assertThat(later.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(1_000);
        assertThat(tokens(registry, "prompt")).isEqualTo(120);
        assertThat(tokens(registry, "cached")).isEqualTo(80);
        assertThat(tokens(registry, "generated")).isEqualTo(12);
    }

    private static double tokens(SimpleMeterRegistry registry, String kind) {
        return registry.get("millrace.generation.tokens")
                .tag("kind", kind)
                .counter()
                .count();
    }

    @Test
    void whatIsWatchedHasGauges() {
        var registry = new SimpleMeterRegistry();
        var meters = new EngineMeters(registry);
        try (Engine engine = Engine.create(
                        EngineOptions.builder().memoryBudget(1 << 20).build());
                Session session = engine.session(TestModel.relu(), SessionOptions.defaults());
                ReplaceableSession service =
                        ReplaceableSession.of(engine.session(TestModel.relu(), SessionOptions.defaults()))) {
            meters.watch(engine);
            meters.watch(session);
            meters.watch(service, "service");
            assertThat(gauge(registry, "millrace.engine.health")).isEqualTo(1);
            assertThat(gauge(registry, "millrace.memory.budget")).isEqualTo(1 << 20);
            assertThat(gauge(registry, "millrace.memory.weights")).isEqualTo(0);
            assertThat(gauge(registry, "millrace.memory.kept")).isNotNegative();
            assertThat(gauge(registry, "millrace.memory.device.held")).isZero();
            assertThat(gauge(registry, "millrace.health", "session", "relu")).isEqualTo(1);
            session.close();
            assertThat(gauge(registry, "millrace.health", "session", "relu")).isEqualTo(0);
            service.replace(engine.session(TestModel.relu(), SessionOptions.defaults()));
            assertThat(gauge(registry, "millrace.health", "session", "service")).isEqualTo(1);
            assertThat(gauge(registry, "millrace.waiting", "session", "service"))
                    .isZero();
        }
    }

    private static double gauge(SimpleMeterRegistry registry, String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }
}
