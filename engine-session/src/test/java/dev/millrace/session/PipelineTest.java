package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Models one after the other: (a + b) times (a b), and their sum. */
@Timeout(60)
class PipelineTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());
    private final Session first = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    private final Session second = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    private final Inference both = first.then(second, Map.of("sum", "a", "product", "b"));

    @AfterEach
    void close() {
        first.close();
        second.close();
        engine.close();
    }

    private static Inputs inputs(float a) {
        return Inputs.of("a", a).and("b", Tensor.copyOf(new float[] {2}, 1));
    }

    private static float product(Outputs outputs) {
        try (outputs) {
            return outputs.get("product").floats()[0];
        }
    }

    @Test
    void whatOneAnswersTheNextIsAsked() {
        assertThat(product(both.run(inputs(3)))).isEqualTo(30);
        StepVerifier.create(both.mono(inputs(3)).map(PipelineTest::product))
                .expectNext(30f)
                .verifyComplete();
        assertThatThrownBy(() -> first.then(second).run(inputs(3))).hasMessageContaining("Missing Input: a");
    }

    @Test
    void itDeclaresWhatTheFirstTakesAndWhatTheLastGives() {
        BatchedSession batched = first.batched(BatchOptions.defaults());
        Inference watched = batched.then(second, outputs -> Inputs.empty());
        assertThat(watched.inputs()).isEqualTo(first.inputs());
        assertThat(watched.outputs()).isEqualTo(second.outputs());
        try (StatefulSession stateful = first.stateful(State.carry("sum", "a"));
                Sequence sequence = stateful.begin()) {
            assertThat(sequence.inputs()).extracting(ValueInfo::name).containsExactly("b");
            assertThat(sequence.outputs()).extracting(ValueInfo::name).containsExactly("product");
        }
    }

    @Test
    void whatIsHandedOverIsClosedAfterwards() {
        List<Outputs> handed = new CopyOnWriteArrayList<>();
        Inference watched = first.then(second, outputs -> {
            handed.add(outputs);
            return Inputs.of("a", outputs.get("sum")).and("b", outputs.get("product"));
        });
        assertThat(product(watched.run(inputs(3)))).isEqualTo(30);
        StepVerifier.create(watched.flux(Flux.just(inputs(1), inputs(2))).map(PipelineTest::product))
                .expectNext(6f, 16f)
                .verifyComplete();
        assertThat(handed).hasSize(3).allMatch(outputs -> outputs.get("sum").isClosed());
    }

    @Test
    void demandGoesThroughAllStages() {
        var asked = new AtomicLong();
        var requests = Flux.range(0, 100).map(PipelineTest::inputs).doOnRequest(asked::addAndGet);
        var three = both.then(second, Map.of("sum", "a", "product", "b"));
        StepVerifier.create(three.flux(requests).map(PipelineTest::product), 0)
                .expectSubscription()
                .thenRequest(2)
                .expectNextCount(2)
                .then(() -> assertThat(asked.get()).isLessThan(6))
                .thenCancel()
                .verify();
    }

    @Test
    void aRequestThatOneRefusesComesBackWithItsFailure() {
        var requests = Flux.just(inputs(1), Inputs.empty(), inputs(2));
        StepVerifier.create(both.results(
                        requests, FluxOptions.builder().concurrency(2).build()))
                .assertNext(result -> assertThat(product(result.orThrow())).isEqualTo(6))
                .assertNext(result -> assertThat(result.failure()).isNotNull())
                .assertNext(result -> assertThat(product(result.orThrow())).isEqualTo(16))
                .verifyComplete();
    }
}
