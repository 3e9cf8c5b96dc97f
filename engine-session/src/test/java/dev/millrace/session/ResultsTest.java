package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Requests that come back with what became of them, and sessions that are warm before the first. */
@Timeout(60)
class ResultsTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final Session session = engine.session(
            TestModels.sumAndProduct(), SessionOptions.builder().concurrency(4).build());

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static Inputs good(float a) {
        return Inputs.of("a", a).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    @Test
    void oneBadRequestEndsNothing() {
        Inputs bad = Inputs.of("a", 1f);
        List<Inputs> requests = List.of(good(1), bad, good(2), bad, good(3));
        List<RunResult> results = Objects.requireNonNull(
                session.results(Flux.fromIterable(requests)).collectList().block());
        assertThat(results).hasSize(5);
        for (int i = 0; i < 5; i++) {
            RunResult result = results.get(i);
            assertThat(result.request()).isSameAs(requests.get(i));
            assertThat(result.isAnswer()).isEqualTo(i % 2 == 0);
            if (result.isAnswer()) {
                assertThat(result.orThrow().get(0).floats()).isNotEmpty();
            } else {
                assertThat(result.failure()).hasMessageContaining("b");
                assertThatThrownBy(result::orThrow).isSameAs(result.failure());
            }
            result.close();
        }
    }

    @Test
    void demandReachesThePublisher() {
        StepVerifier.create(session.results(Flux.range(0, 1000).map(ResultsTest::good)), 2)
                .expectNextCount(2)
                .thenRequest(1)
                .expectNextMatches(RunResult::isAnswer)
                .thenCancel()
                .verify();
    }

    @Test
    void whatThePublisherFailsWithIsTheEnd() {
        var failure = new IllegalStateException("no more");
        StepVerifier.create(session.results(Flux.concat(Flux.just(good(1)), Flux.error(failure))))
                .expectNextCount(1)
                .verifyErrorMatches(thrown -> thrown == failure);
    }

    @Test
    void aWarmSessionKnowsItsShapes() {
        session.warmUp(Map.of("a", Shape.of(3), "b", Shape.of(3)));
        int known = session.stretches().size();
        assertThat(known).isPositive();
        session.run(Inputs.of("a", 1f, 2f, 3f).and("b", Tensor.copyOf(new float[3], 3)))
                .close();
        assertThat(session.stretches()).hasSize(known);
    }

    @Test
    void whatCannotBeWarmedUpIsNamed() {
        assertThatThrownBy(() -> session.warmUp(Map.of("c", Shape.of(3))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("c");
        assertThatThrownBy(() -> session.warmUp(Map.of("a", Shape.of(3))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'b'");
    }
}
