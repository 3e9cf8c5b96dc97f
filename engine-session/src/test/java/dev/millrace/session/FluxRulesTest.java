package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Hooks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** Tests of a flux whose publisher or subscriber breaks the rules of Reactive Streams. */
@Timeout(60)
class FluxRulesTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final Session session = engine.session(
            TestModels.sumAndProduct(), SessionOptions.builder().concurrency(4).build());
    private final TestPublisher<Inputs> source =
            TestPublisher.createNoncompliant(TestPublisher.Violation.REQUEST_OVERFLOW);
    private final List<Throwable> dropped = new ArrayList<>();

    @BeforeEach
    void hearOfWhatIsDropped() {
        Hooks.onErrorDropped(dropped::add);
    }

    @AfterEach
    void close() {
        Hooks.resetOnErrorDropped();
        session.close();
        engine.close();
    }

    private static Inputs inputs() {
        return Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    /** A subscriber that requests an element and throws where it may not. */
    private static final class Throwing implements CoreSubscriber<Outputs> {
        private final CompletableFuture<Subscription> threw = new CompletableFuture<>();
        private final long wanted;
        private Subscription subscription = new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        };

        Throwing(long wanted) {
            this.wanted = wanted;
        }

        @Override
        public void onSubscribe(Subscription given) {
            subscription = given;
            given.request(wanted);
        }

        @Override
        public void onNext(Outputs outputs) {
            fail("onNext");
        }

        @Override
        public void onError(Throwable failure) {
            fail("onError");
        }

        @Override
        public void onComplete() {
            fail("onComplete");
        }

        private void fail(String where) {
            threw.complete(subscription);
            throw new IllegalStateException("planted in " + where);
        }
    }

    @Test
    void aSubscriberThatThrowsHasCancelledAndTheFluxIsFree() throws Exception {
        var subscriber = new Throwing(10);
        session.flux(source).subscribe(subscriber);
        source.next(inputs());
        subscriber.threw.get(30, TimeUnit.SECONDS).request(1);
        while (!source.wasCancelled()) {
            Thread.onSpinWait();
        }
        source.next(inputs());
        // the thread on which the subscriber threw goes on
        StepVerifier.create(session.mono(inputs())).expectNextCount(1).verifyComplete();
        assertThat(dropped).extracting(Throwable::getMessage).containsExactly("planted in onNext");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aRequestThatIsNotPositiveEndsTheFluxAtOnceAndCancelsTheSource(long wanted) {
        TestPublisher<Inputs> other = TestPublisher.create();
        var failed = new CompletableFuture<Throwable>();
        session.flux(other).subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(1);
                subscription.request(wanted);
                subscription.request(1);
            }

            @Override
            public void onNext(Outputs outputs) {
                outputs.close();
            }

            @Override
            public void onError(Throwable failure) {
                failed.complete(failure);
            }

            @Override
            public void onComplete() {}
        });
        assertThat(failed).isCompleted();
        assertThat(failed.join()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3.9");
        other.assertCancelled();
    }

    @Test
    void aPublisherThatSendsMoreThanItWasAskedForIsEndedAfterTheAnswersBefore() {
        StepVerifier.create(session.flux(source).doOnNext(Outputs::close), 2)
                .then(() -> {
                    for (int i = 0; i < 200; i++) {
                        source.next(inputs());
                    }
                })
                .expectNextCount(2)
                .expectErrorSatisfies(thrown ->
                        assertThat(thrown).isInstanceOf(EngineException.class).hasMessageContaining("sent more"))
                .verify(Duration.ofSeconds(30));
        assertThat(source.wasCancelled()).isTrue();
    }
}
