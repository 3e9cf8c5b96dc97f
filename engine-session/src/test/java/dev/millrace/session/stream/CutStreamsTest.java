package dev.millrace.session.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Streams that are cut anywhere: every answer is handed on or freed, once. */
@Timeout(60)
class CutStreamsTest {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final RunThreads threads = new RunThreads(2);
    private final RunQueue queue = threads.queue(Integer.MAX_VALUE, 1, 2);

    @AfterEach
    void close() {
        threads.close();
    }

    /** Something that has to be closed once. */
    private final class Answer {
        private final AtomicInteger closed = new AtomicInteger();

        Answer() {
            open.incrementAndGet();
        }

        void close() {
            assertThat(closed.getAndIncrement()).isZero();
            open.decrementAndGet();
        }
    }

    /** Answers on a run thread, cancelled or not. */
    private final RunSource<Integer, Answer> runs = (request, context, to) -> {
        var job = new Job(0) {
            @Override
            public void run() {
                to.answered(new Answer());
                underWay.decrementAndGet();
            }
        };
        underWay.incrementAndGet();
        queue.add(job);
        return () -> {
            if (queue.remove(job)) {
                underWay.decrementAndGet();
            }
        };
    };

    private final InferenceFlux.Delivery<Integer, Answer, Answer> delivery = new InferenceFlux.Delivery<>() {
        @Override
        public Answer answer(Integer request, Answer answer) {
            return answer;
        }

        @Override
        public @Nullable Answer failure(Integer request, EngineException failure) {
            return null;
        }

        @Override
        public void drop(Answer answer) {
            answer.close();
        }
    };

    private Flux<Answer> stream(Random random) {
        var rules = new StreamRules(1 + random.nextInt(3), random.nextInt(3), random.nextBoolean(), 0);
        return random.nextInt(4) == 0
                ? AnswerMono.of(runs, 1, Answer::close).flux()
                : InferenceFlux.of(runs, Flux.range(0, 5), rules, delivery);
    }

    @Test
    void noAnswerOfTenThousandStaysOpen() throws InterruptedException {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long wanted = 1 + random.nextInt(6);
            int keep = 1 + random.nextInt(5);
            var ended = new CountDownLatch(1);
            var subscriber = new BaseSubscriber<Answer>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(wanted);
                }

                @Override
                protected void hookOnNext(Answer answer) {
                    answer.close();
                }
            };
            // publishOn is not among them: who cuts it while it schedules loses or discards twice what it has in its
            // queue
            stream(random)
                    .filter(answer -> random.nextInt(4) > 0)
                    .take(keep)
                    .doOnDiscard(Answer.class, Answer::close)
                    .doFinally(end -> ended.countDown())
                    .subscribe(subscriber);
            for (int spins = random.nextInt(2000); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            subscriber.cancel();
            ended.await();
        }
        while (underWay.get() > 0) {
            Thread.onSpinWait();
        }
        assertThat(open).hasValue(0);
    }
}
