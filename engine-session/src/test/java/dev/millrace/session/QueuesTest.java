package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Requests that wait for their turn: how many may, who is next, and for how long. */
@Timeout(60)
class QueuesTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());
    private final Session light = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    private final CountDownLatch running = new CountDownLatch(2);
    private final Session heavy = engine.session(
            TestModels.loop(),
            SessionOptions.builder()
                    .queue(3)
                    .name("heavy")
                    .listener(new Started(running, ConcurrentHashMap.newKeySet()))
                    .build());

    /** Hears that so many runs are under way, by the threads of their steps. */
    private record Started(CountDownLatch runs, Set<Thread> threads) implements RunListener {
        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            if (threads.add(Thread.currentThread())) {
                runs.countDown();
            }
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            // nothing to hear
        }
    }

    @AfterEach
    void close() {
        heavy.close(Duration.ZERO);
        light.close();
        engine.close();
    }

    private static Inputs inputs(float a) {
        return Inputs.of("a", a).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    private static Status status(Throwable thrown) {
        return ((EngineException) thrown).status();
    }

    /** Occupies all threads with runs that do not end by themselves. */
    private List<CompletableFuture<Outputs>> occupy() throws InterruptedException {
        List<CompletableFuture<Outputs>> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            runs.add(heavy.mono(SessionTest.forever()).toFuture());
        }
        running.await();
        return runs;
    }

    @Test
    void aFullQueueRefusesWithAStatusOfItsOwn() throws InterruptedException {
        occupy();
        for (int i = 0; i < 3; i++) {
            heavy.mono(SessionTest.forever()).onErrorComplete().subscribe();
        }
        StepVerifier.create(heavy.mono(SessionTest.forever()))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.OVERLOADED))
                .verify();
        assertThat(heavy.waiting()).isEqualTo(3);
    }

    @Test
    void whoIsCancelledLeavesTheQueue() throws InterruptedException {
        occupy();
        for (int i = 0; i < 20; i++) {
            heavy.mono(SessionTest.forever()).subscribe().dispose();
        }
        assertThat(heavy.waiting()).isZero();
    }

    @Test
    void whatIsWrongWithARequestIsSaidBeforeItWaits() throws InterruptedException {
        occupy();
        StepVerifier.create(heavy.mono(Inputs.empty()))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.INVALID_ARGUMENT))
                .verify();
    }

    @Test
    void aHeavySessionDelaysNoOther() throws InterruptedException {
        occupy();
        heavy.mono(SessionTest.forever()).onErrorComplete().subscribe();
        StepVerifier.create(light.mono(inputs(1))).expectNextCount(1).verifyComplete();
        StepVerifier.create(light.flux(Flux.range(0, 50).map(QueuesTest::inputs)))
                .expectNextCount(50)
                .verifyComplete();
    }

    @Test
    void aDeadlinePassesWhileARequestWaits() throws InterruptedException {
        occupy();
        var options = RunOptions.builder().within(Duration.ofMillis(20)).build();
        StepVerifier.create(heavy.mono(SessionTest.forever(), options))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.DEADLINE_EXCEEDED))
                .verify();
        assertThat(heavy.waiting()).isZero();
    }

    @Test
    void aDeadlineStopsARun() {
        StepVerifier.create(heavy.mono(SessionTest.forever()).contextWrite(RunContext.within(Duration.ofMillis(20))))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.DEADLINE_EXCEEDED))
                .verify();
        var options = RunOptions.builder().within(Duration.ofMillis(20)).build();
        assertThatThrownBy(() -> heavy.run(SessionTest.forever(), options))
                .satisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.DEADLINE_EXCEEDED));
        assertThat(options.cancellation().isCancelled()).isFalse();
    }

    @Test
    void aDeadlineThatHasPassedRunsNothing() {
        var options = RunOptions.builder().deadline(Instant.EPOCH).build();
        StepVerifier.create(light.mono(inputs(1), options))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.DEADLINE_EXCEEDED))
                .verify();
    }

    @Test
    void theCancellationOfOptionsStopsAMono() throws InterruptedException {
        var options = RunOptions.defaults();
        var run = heavy.mono(SessionTest.forever(), options).toFuture();
        options.cancellation().cancel();
        assertThatThrownBy(run::join)
                .cause()
                .satisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CANCELLED));
    }

    @Test
    void higherPrioritiesAreFirst() throws InterruptedException {
        try (Session one = engine.session(
                TestModels.sumAndProduct(),
                SessionOptions.builder().maxConcurrentRuns(1).build())) {
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var done = new CountDownLatch(4);
            one.mono(inputs(0)).subscribe(outputs -> {
                outputs.close();
                begun.countDown();
                awaitUninterrupted(go);
            });
            begun.await();
            for (int priority : new int[] {0, 5, 5, 9}) {
                one.mono(inputs(0), RunOptions.builder().priority(priority).build())
                        .subscribe(outputs -> {
                            outputs.close();
                            order.add(priority);
                            done.countDown();
                        });
            }
            go.countDown();
            done.await();
            assertThat(order).containsExactly(9, 5, 5, 0);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void blockingOnARunThreadIsRefusedAtOnce() {
        StepVerifier.create(light.mono(inputs(1))
                        .doOnNext(outputs -> light.mono(inputs(2)).block()))
                .expectErrorMatches(thrown -> thrown instanceof IllegalStateException
                        && String.valueOf(thrown.getMessage()).contains("blocking"))
                .verify();
    }

    @Test
    void theEnginesThreadsAreAScheduler() {
        StepVerifier.create(Mono.fromCallable(() -> Thread.currentThread().getName())
                        .subscribeOn(engine.scheduler()))
                .expectNextMatches(name -> name.startsWith("millrace-run-"))
                .verifyComplete();
    }

    @Test
    void closedSessionsAndEnginesSaySo() {
        light.close();
        StepVerifier.create(light.mono(inputs(1)))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CLOSED))
                .verify();
        assertThatThrownBy(() -> light.run(inputs(1)))
                .satisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CLOSED));
        engine.close();
        StepVerifier.create(heavy.mono(SessionTest.forever()))
                .expectErrorSatisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CLOSED))
                .verify();
    }

    @Test
    void closingWithALimitEndsWhatIsLeft() throws InterruptedException {
        List<CompletableFuture<Outputs>> runs = occupy();
        var waiting = heavy.mono(SessionTest.forever()).toFuture();
        assertThat(heavy.close(Duration.ofMillis(10))).isFalse();
        assertThatThrownBy(waiting::join)
                .cause()
                .satisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CLOSED));
        for (CompletableFuture<Outputs> run : runs) {
            assertThatThrownBy(run::join)
                    .cause()
                    .satisfies(thrown -> assertThat(status(thrown)).isEqualTo(Status.CANCELLED));
        }
        heavy.close();
        assertThat(light.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void sessionsHaveNamesAndModelsSayWhoMadeThem() {
        assertThat(heavy.name()).isEqualTo("heavy");
        assertThat(light.name()).isEqualTo("two");
        assertThat(light.metadata().producer()).isEqualTo("test");
        assertThat(light.metadata().graphName()).isEqualTo("two");
        assertThat(light.metadata().graphDescription()).isEqualTo("a sum and a product");
        assertThat(light.metadata().properties()).isEmpty();
    }

    @Test
    void aModelIsReplacedUnderLoadAndNoRequestFails() throws InterruptedException {
        var failed = new AtomicInteger();
        var answered = new AtomicInteger();
        var stop = new CountDownLatch(1);
        try (ReplaceableSession service =
                ReplaceableSession.of(engine.session(TestModels.sumAndProduct(), SessionOptions.defaults()))) {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean blocks = i == 0;
                callers.add(Thread.ofPlatform().start(() -> {
                    while (stop.getCount() > 0) {
                        try (Outputs _ = blocks
                                ? service.run(inputs(1))
                                : service.mono(inputs(1)).toFuture().get(30, TimeUnit.SECONDS)) {
                            answered.incrementAndGet();
                        } catch (Exception e) {
                            failed.incrementAndGet();
                        }
                    }
                }));
            }
            for (int i = 0; i < 20; i++) {
                Session last = service.current();
                int before = answered.get();
                service.replace(engine.session(TestModels.sumAndProduct(), SessionOptions.defaults()));
                assertThatThrownBy(() -> last.run(inputs(1))).hasMessageContaining("closed");
                while (answered.get() == before) {
                    Thread.onSpinWait();
                }
            }
            stop.countDown();
            for (Thread caller : callers) {
                caller.join();
            }
        }
        assertThat(failed).hasValue(0);
    }

    @Test
    void anEngineReplacesAModelByAFile(@TempDir Path folder) throws IOException {
        Path next = Files.write(folder.resolve("next.onnx"), TestModels.sumAndProduct());
        try (ReplaceableSession service =
                ReplaceableSession.of(engine.session(TestModels.sumAndProduct(), SessionOptions.defaults()))) {
            Session last = service.current();
            engine.replace(service, next, SessionOptions.builder().name("next").build());
            assertThat(service.current().name()).isEqualTo("next");
            service.run(inputs(1)).close();
            assertThatThrownBy(() -> last.run(inputs(1))).hasMessageContaining("closed");
            Path none = folder.resolve("none.onnx");
            assertThatThrownBy(() -> engine.replace(service, none)).hasMessageContaining("none.onnx");
            service.run(inputs(1)).close();
        }
    }

    @Test
    void anOutputIsWrittenIntoTheCallersMemory() {
        Tensor mine = Tensor.copyOf(new float[1], 1);
        try (Outputs outputs =
                light.run(inputs(2), RunOptions.builder().into("sum", mine).build())) {
            assertThat(outputs.get("sum").floats()).containsExactly(3f);
            assertThat(outputs.get("product").floats()).containsExactly(2f);
        }
        assertThat(mine.isClosed()).isFalse();
        assertThat(mine.floats()).containsExactly(3f);
    }

    @Test
    void anOutputThatDoesNotFitTheCallersMemoryIsRefused() {
        var tooLong =
                RunOptions.builder().into("sum", Tensor.copyOf(new float[2], 2)).build();
        assertThatThrownBy(() -> light.run(inputs(2), tooLong)).hasMessageContaining("does not fit");
        var otherType =
                RunOptions.builder().into("sum", Tensor.copyOf(new long[1], 1)).build();
        assertThatThrownBy(() -> light.run(inputs(2), otherType)).hasMessageContaining("cannot be written");
        var noOutput = RunOptions.builder()
                .into("sums", Tensor.copyOf(new float[1], 1))
                .build();
        assertThatThrownBy(() -> light.run(inputs(2), noOutput)).hasMessageContaining("Invalid output name");
    }
}
