package dev.millrace.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Streams with options. */
@Timeout(60)
class FluxOptionsTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());
    private final Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());

    @AfterEach
    void close() {
        session.close(Duration.ofSeconds(10));
        engine.close();
    }

    private static Inputs inputs(float a) {
        return Inputs.of("a", a).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    private static float sum(Outputs outputs) {
        try (outputs) {
            return outputs.get("sum").floats()[0];
        }
    }

    @Test
    void answersComeAsTheyAreThere() {
        try (Session loop = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            var quick = Inputs.of("n", Tensor.scalar(1L)).and("x", Tensor.copyOf(new float[] {1}, 1));
            var requests = Flux.just(SessionTest.forever(), quick, quick);
            StepVerifier.create(loop.results(
                            requests,
                            FluxOptions.builder().concurrency(2).ordered(false).build()))
                    .assertNext(result -> assertThat(result.request()).isSameAs(quick))
                    .assertNext(result -> assertThat(result.request()).isSameAs(quick))
                    .thenCancel()
                    .verify();
        }
    }

    @Test
    void answersAreMadeReadyBeforeTheyAreAskedFor() throws InterruptedException {
        var asked = new AtomicLong();
        var there = new CountDownLatch(3);
        var requests = Flux.range(0, 10)
                .map(FluxOptionsTest::inputs)
                .doOnRequest(asked::addAndGet)
                .doOnNext(request -> there.countDown());
        var options = FluxOptions.builder().concurrency(2).prefetch(3).build();
        var answers = session.flux(requests, options).map(FluxOptionsTest::sum);
        StepVerifier.create(answers, 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(1f)
                .then(() -> {
                    try {
                        there.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    assertThat(asked.get()).isBetween(3L, 4L);
                })
                .thenRequest(Long.MAX_VALUE)
                .expectNext(2f, 3f, 4f, 5f, 6f, 7f, 8f, 9f, 10f)
                .verifyComplete();
    }

    @Test
    void answersThatWaitForOneBeforeThemLeaveTheirPlacesToOthers() {
        try (Session loop = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            var quick = Inputs.of("n", Tensor.scalar(1L)).and("x", Tensor.copyOf(new float[] {1}, 1));
            var taken = new AtomicLong();
            var there = new CountDownLatch(4);
            var requests = Flux.range(0, 100)
                    .map(i -> i == 0 ? SessionTest.forever() : quick)
                    .doOnNext(request -> {
                        taken.incrementAndGet();
                        there.countDown();
                    });
            StepVerifier.create(loop.flux(
                            requests, FluxOptions.builder().concurrency(2).build()))
                    .then(() -> {
                        try {
                            there.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    })
                    .expectNoEvent(Duration.ofMillis(20))
                    .thenCancel()
                    .verify();
            assertThat(taken).hasValue(4);
        }
    }

    @Test
    void onlyTheOutputsThatAreWantedCome() {
        StepVerifier.create(session.flux(
                        Flux.just(inputs(1)),
                        FluxOptions.builder().outputs("product").build()))
                .assertNext(outputs -> assertThat(outputs.names()).containsExactly("product"))
                .verifyComplete();
    }

    @Test
    void eachRequestHasADeadlineOfItsOwn() {
        try (Session loop = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            StepVerifier.create(loop.results(
                            Flux.just(SessionTest.forever(), SessionTest.forever()),
                            FluxOptions.builder()
                                    .deadline(Duration.ofMillis(20))
                                    .build()))
                    .assertNext(FluxOptionsTest::assertLate)
                    .assertNext(FluxOptionsTest::assertLate)
                    .verifyComplete();
        }
    }

    private static void assertLate(RunResult result) {
        assertThat(requireNonNull(result.failure()).status()).isEqualTo(Status.DEADLINE_EXCEEDED);
    }

    @Test
    void whatAFullQueueRefusedIsTriedAgain() {
        try (Session narrow = engine.session(
                TestModels.sumAndProduct(),
                SessionOptions.builder().queue(1).maxConcurrentRuns(1).build())) {
            var requests = Flux.range(0, 200).map(FluxOptionsTest::inputs);
            var options = FluxOptions.builder().concurrency(8).retries(1000).build();
            StepVerifier.create(narrow.flux(requests, options).map(FluxOptionsTest::sum))
                    .expectNextCount(200)
                    .verifyComplete();
        }
    }

    @Test
    void senselessOptionsAreRefused() {
        assertThatThrownBy(() -> FluxOptions.builder().concurrency(-1).build()).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> SessionOptions.builder().queue(0)).isInstanceOf(EngineException.class);
    }
}
