package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineMetersTest {
    @Test
    void requestsAreMeteredBySessionAndOutcome() {
        var registry = new SimpleMeterRegistry();
        var meters = new EngineMeters(registry, Tag.of("host", "one"));
        try (Engine engine = Engine.create(EngineOptions.defaults().withRequestListener(meters));
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
}
