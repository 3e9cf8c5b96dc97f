package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class ReactiveTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private Session session(int concurrency) {
        return engine.session(
                TestModels.sumAndProduct(),
                SessionOptions.builder().concurrency(concurrency).build());
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
    void aMonoRunsOncePerSubscription() {
        try (Session session = session(1)) {
            var mono = session.mono(inputs(1)).map(ReactiveTest::sum);
            StepVerifier.create(mono).expectNext(2f).verifyComplete();
            StepVerifier.create(mono).expectNext(2f).verifyComplete();
        }
    }

    @Test
    void aMonoThatFailsEndsWithTheEnginesError() {
        try (Session session = session(1)) {
            StepVerifier.create(session.mono(Inputs.empty()))
                    .expectErrorMatches(e -> e instanceof EngineException
                            && String.valueOf(e.getMessage()).contains("Missing Input"))
                    .verify();
        }
    }

    @Test
    void cancellingAMonoStopsItsRun() {
        try (Session session = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            StepVerifier.create(session.mono(SessionTest.forever()))
                    .expectSubscription()
                    .thenAwait(Duration.ofMillis(50))
                    .thenCancel()
                    .verify();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void answersComeInTheOrderOfTheRequests(int concurrency) {
        try (Session session = session(concurrency)) {
            var requests = Flux.range(0, 500).map(ReactiveTest::inputs);
            StepVerifier.create(session.flux(requests).map(ReactiveTest::sum).collectList())
                    .assertNext(sums -> assertThat(sums)
                            .isEqualTo(IntStream.range(0, 500)
                                    .mapToObj(i -> i + 1f)
                                    .toList()))
                    .verifyComplete();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void nothingIsAskedForThatNobodyWants(int concurrency) {
        try (Session session = session(concurrency)) {
            var asked = new AtomicLong();
            var requests = Flux.range(0, 100).map(ReactiveTest::inputs).doOnRequest(asked::addAndGet);
            StepVerifier.create(session.flux(requests).map(ReactiveTest::sum), 0)
                    .expectSubscription()
                    .then(() -> assertThat(asked).hasValue(0))
                    .thenRequest(2)
                    .expectNext(1f, 2f)
                    .then(() -> assertThat(asked).hasValue(2))
                    .thenRequest(5)
                    .expectNext(3f, 4f, 5f, 6f, 7f)
                    .then(() -> assertThat(asked).hasValue(7))
                    .thenCancel()
                    .verify();
        }
    }

    @Test
    void cancellingAFluxReachesTheSourceAndTheRun() {
        try (Session session = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            TestPublisher<Inputs> source = TestPublisher.create();
            StepVerifier.create(session.flux(source))
                    .then(() -> source.next(SessionTest.forever()))
                    .thenAwait(Duration.ofMillis(50))
                    .thenCancel()
                    .verify();
            source.assertCancelled();
        }
    }

    @Test
    void aFailureEndsTheStreamAndCancelsTheSource() {
        try (Session session = session(2)) {
            TestPublisher<Inputs> source = TestPublisher.create();
            StepVerifier.create(session.flux(source).map(ReactiveTest::sum))
                    .then(() -> source.next(inputs(1)))
                    .expectNext(2f)
                    .then(() -> source.next(Inputs.empty()))
                    .expectErrorMatches(e -> String.valueOf(e.getMessage()).contains("Missing Input"))
                    .verify();
            source.assertCancelled();
        }
    }

    @Test
    void anErrorOfTheSourceComesAfterTheAnswersBeforeIt() {
        try (Session session = session(2)) {
            var requests = Flux.range(0, 3).map(ReactiveTest::inputs).concatWith(Flux.error(new Exception("planted")));
            StepVerifier.create(session.flux(requests).map(ReactiveTest::sum))
                    .expectNext(1f, 2f, 3f)
                    .expectErrorMessage("planted")
                    .verify();
        }
    }

    @Test
    void aRequestForNothingIsAnErrorOfTheSubscriber() {
        try (Session session = session(1)) {
            var failure = new AtomicReference<Throwable>();
            var subscriber = new BaseSubscriber<Outputs>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(0);
                }

                @Override
                protected void hookOnError(Throwable thrown) {
                    failure.set(thrown);
                }
            };
            session.flux(Flux.just(inputs(1))).subscribe(subscriber);
            assertThat(failure.get()).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
