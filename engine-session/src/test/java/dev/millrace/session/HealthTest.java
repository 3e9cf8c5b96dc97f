package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Health.Condition;
import dev.millrace.session.Health.Trouble;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the health of sessions and engines. */
@Timeout(60)
class HealthTest {
    private static final int WIDTH = 4;

    private static Engine engine() {
        return Engine.create(EngineOptions.builder().threads(1).build());
    }

    private static Session session(Engine engine, SessionOptions options) {
        return engine.session(TestModels.perceptron(1, WIDTH, 1), options);
    }

    private static Inputs row() {
        return Inputs.of("x", Tensor.copyOf(new float[WIDTH], 1, WIDTH));
    }

    private static void assertHealth(Health health, Condition condition, Status status, String place, String text) {
        assertThat(health.condition()).isEqualTo(condition);
        assertThat(health.isAnswering()).isEqualTo(condition != Condition.DOWN);
        assertThat(health.troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.status()).isEqualTo(status);
            assertThat(trouble.place()).isEqualTo(place);
            assertThat(trouble.text()).contains(text);
        });
    }

    private static void assertUp(Health health) {
        assertThat(health).isEqualTo(new Health(Condition.UP, List.of()));
    }

    @Test
    void whatIsClosedIsDown() {
        try (Engine engine = engine();
                Session session = session(engine, SessionOptions.defaults())) {
            assertUp(session.health());
            session.run(row()).close();
            assertUp(session.health());
            session.close();
            assertHealth(session.health(), Condition.DOWN, Status.CLOSED, "perceptron", "closed");
            // a session that was closed on purpose no longer counts for the engine
            assertUp(engine.health());
            engine.close();
            assertHealth(engine.health(), Condition.DOWN, Status.CLOSED, "engine", "closed");
        }
    }

    @Test
    void engineAndSessionSayInTextWhatTheyAre() {
        var options = SessionOptions.builder().name("net\n1").build();
        try (Engine engine = engine();
                Session session = session(engine, options)) {
            assertThat(session).hasToString("Session 'net\\n1' of [simd] (open, 0 requests wait)");
            assertThat(engine).hasToString("Engine of 1 thread (open, 1 open sessions)");
            session.close();
            engine.close();
            assertThat(session.toString()).contains("closed");
            assertThat(engine).hasToString("Engine of 1 thread (closed, 0 open sessions)");
        }
    }

    @Test
    void aSessionWhoseQueueIsFullIsDegraded() throws InterruptedException {
        var options = SessionOptions.builder().queue(1).maxConcurrentRuns(1).build();
        try (Engine engine = engine();
                Session session = session(engine, options)) {
            OccupiedSession occupied = OccupiedSession.of(session, row());
            assertUp(session.health());
            var waiting = session.mono(row()).toFuture();
            assertHealth(session.health(), Condition.DEGRADED, Status.OVERLOADED, "perceptron", "1 requests wait");
            assertHealth(engine.health(), Condition.DEGRADED, Status.OVERLOADED, "perceptron", "1 requests wait");
            occupied.close();
            waiting.join().close();
            assertUp(engine.health());
        }
    }

    @Test
    void aRunThatFailsIsToldUntilOneIsAnswered() {
        try (Engine engine = engine();
                Session session = engine.session(TestModels.range(), SessionOptions.defaults())) {
            assertThatThrownBy(() -> session.run(Inputs.empty())).isInstanceOf(EngineException.class);
            assertUp(session.health());
            assertThatThrownBy(() -> session.run(Inputs.of("limit", Tensor.scalar(1L << 40))))
                    .isInstanceOf(EngineException.class);
            assertThat(session.health().condition()).isEqualTo(Condition.DEGRADED);
            assertThat(session.health().troubles())
                    .singleElement()
                    .extracting(Trouble::text)
                    .asString()
                    .startsWith("the last run failed: ");
            assertThatThrownBy(() -> session.run(Inputs.empty())).isInstanceOf(EngineException.class);
            assertThat(session.health().condition()).isEqualTo(Condition.DEGRADED);
            session.run(Inputs.of("limit", Tensor.scalar(3L))).close();
            assertUp(session.health());
        }
    }

    @Test
    void aRequestWhoseShapesANodeRefusesIsInvalidAndNoTrouble() {
        try (Engine engine = engine();
                Session session = engine.session(TestModels.voices(WIDTH), SessionOptions.defaults())) {
            Inputs inputs = Inputs.of("x", Tensor.copyOf(new float[2 * WIDTH], 2, WIDTH))
                    .and("state", Tensor.copyOf(new float[2 * 3 * WIDTH], 2, 3, WIDTH));
            assertThatThrownBy(() -> session.run(inputs))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                    .hasMessageContaining("do not broadcast");
            assertUp(session.health());
        }
    }

    @Test
    void anEngineWithoutRoomIsDegradedUntilThereIsSome() {
        long weights = 4L * (WIDTH * WIDTH + WIDTH);
        var options = EngineOptions.builder().threads(1).memoryBudget(weights).build();
        try (Engine engine = Engine.create(options)) {
            assertThat(engine.memory()).isEqualTo(new MemoryUse(0, 0, weights));
            try (Session first = session(engine, SessionOptions.defaults())) {
                assertThat(engine.memory()).isEqualTo(new MemoryUse(weights, 0, weights));
                assertUp(engine.health());
                assertThatThrownBy(() -> session(engine, SessionOptions.defaults()))
                        .isInstanceOf(EngineException.class);
                assertHealth(engine.health(), Condition.DEGRADED, Status.BUDGET_EXCEEDED, "engine", "no room");
                assertUp(first.health());
            }
            assertUp(engine.health());
            assertThat(engine.memory().weights()).isZero();
        }
    }

    @Test
    void whoseDeviceIsGoneIsDown() {
        var fake = new FakeFactory();
        var onFake = SessionOptions.builder()
                .provider(FakeFactory.NAME)
                .provider("cpu")
                .build();
        var plain = SessionOptions.builder().provider("cpu").name("plain").build();
        var options =
                EngineOptions.builder().threads(1).providers(List.of(fake)).build();
        try (Engine engine = Engine.create(options);
                Session lost = session(engine, onFake)) {
            assertUp(lost.health());
            fake.trouble = "the device fell off the bus";
            assertHealth(lost.health(), Condition.DOWN, Status.EP_FAIL, "perceptron", "fell off the bus");
            assertHealth(engine.health(), Condition.DOWN, Status.EP_FAIL, "perceptron", "fell off the bus");
            try (Session other = session(engine, plain)) {
                assertUp(other.health());
                assertHealth(engine.health(), Condition.DEGRADED, Status.EP_FAIL, "perceptron", "fell off the bus");
            }
        }
    }

    @Test
    void whatReplacesASessionIsAsked() {
        try (Engine engine = engine();
                var service = ReplaceableSession.of(session(engine, SessionOptions.defaults()))) {
            service.replace(session(
                    engine, SessionOptions.builder().name("second").version("2").build()));
            assertUp(service.health());
            assertThat(service.current().label()).isEqualTo(new SessionLabel("second", "2", List.of("simd")));
            service.close();
            assertHealth(service.health(), Condition.DOWN, Status.CLOSED, "second", "closed");
        }
    }
}
