package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.test.StepVerifier;

/** Requests that become one run. */
@Timeout(60)
class BatchingTest {
    private static final int WIDTH = 4;
    private final AtomicInteger runs = new AtomicInteger();
    private final Queue<BatchReport> batches = new ConcurrentLinkedQueue<>();
    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(1)
            .requestListener(new SeenBatches(batches))
            .build());
    private final Session session = engine.session(
            TestModels.perceptron(2, WIDTH, 1),
            SessionOptions.builder().listener(new Counting()).build());
    /** A delay that never passes: what is taken is taken because a run has ended. */
    private final BatchedSession batched =
            session.batched(BatchOptions.builder().maxDelay(Duration.ofHours(1)).build());

    private final class Counting implements RunListener {
        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            // only whole runs count
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            runs.incrementAndGet();
        }
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static Inputs request(int rows, float value) {
        float[] values = new float[rows * WIDTH];
        for (int i = 0; i < values.length; i++) {
            values[i] = value + i;
        }
        return Inputs.of("x", Tensor.copyOf(values, rows, WIDTH));
    }

    private static float[] answer(Outputs outputs) {
        try (outputs) {
            return outputs.get("y").floats();
        }
    }

    /** So many runs of one request each, after which batches are tried. */
    private void measureSingles() {
        for (int i = 0; i < 3; i++) {
            batched.mono(request(1, i)).map(BatchingTest::answer).toFuture().join();
        }
        runs.set(0);
    }

    /** Answers to requests that come while another one is under way. */
    private List<CompletableFuture<Outputs>> together(List<Inputs> requests) throws InterruptedException {
        OccupiedSession occupied = OccupiedSession.of(session, request(1, 0));
        List<CompletableFuture<Outputs>> answers = new ArrayList<>();
        for (Inputs request : requests) {
            answers.add(batched.mono(request).toFuture());
        }
        occupied.close();
        return answers;
    }

    @Test
    void aRequestWithATagHearsOfItsBatchBeforeItsRun() throws InterruptedException {
        var heard = new ConcurrentLinkedQueue<String>();
        var listener = new RequestListener() {
            @Override
            public void ended(RequestReport request) {
                // only beginnings count
            }

            @Override
            public void joined(SessionLabel of, String tag, int requests) {
                heard.add(tag + " is one of " + requests);
            }

            @Override
            public void began(SessionLabel of, String tag) {
                heard.add(tag + " runs");
            }
        };
        try (Engine told = Engine.create(EngineOptions.builder()
                        .threads(1)
                        .requestListener(listener)
                        .build());
                Session own = told.session(TestModels.perceptron(2, WIDTH, 1), SessionOptions.defaults())) {
            BatchedSession joining = own.batched(
                    BatchOptions.builder().maxDelay(Duration.ofHours(1)).build());
            for (int i = 0; i < 3; i++) {
                joining.mono(request(1, i)).map(BatchingTest::answer).toFuture().join();
            }
            var alone = RunOptions.builder().tag("first").build();
            var together = RunOptions.builder().tag("second").build();
            OccupiedSession occupied = OccupiedSession.of(own, request(1, 0));
            List<CompletableFuture<Outputs>> answers = new ArrayList<>();
            answers.add(joining.mono(request(1, 0), alone).toFuture());
            answers.add(joining.mono(request(1, 1), together).toFuture());
            for (int i = 2; i < 9; i++) {
                answers.add(joining.mono(request(1 + i % 3, i)).toFuture());
            }
            occupied.close();
            answers.forEach(each -> each.join().close());
        }
        assertThat(heard).containsExactly("first runs", "second is one of 8", "second runs");
    }

    @Test
    void requestsThatComeMeanwhileBecomeOneRunAndAreSplitBack() throws InterruptedException {
        measureSingles();
        List<Inputs> requests = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            requests.add(request(1 + i % 3, i));
        }
        List<CompletableFuture<Outputs>> answers = together(requests);
        for (int i = 0; i < requests.size(); i++) {
            float[] alone = answer(session.run(requests.get(i)));
            assertThat(answer(answers.get(i).join())).hasSize(alone.length).containsExactly(alone, within());
        }
        // the one that held the thread, the first alone, the others together, and each by itself to compare
        assertThat(runs).hasValue(1 + 1 + 1 + requests.size());
        assertThat(batches).singleElement().satisfies(batch -> {
            assertThat(batch.of()).isEqualTo(session.label());
            assertThat(batch.size()).isEqualTo(requests.size() - 1);
            assertThat(batch.copied()).isPositive();
            assertThat(batch.ran()).isPositive();
        });
    }

    private static Offset<Float> within() {
        return Offset.offset(1e-5f);
    }

    @Test
    void aLoneRequestDoesNotWait() {
        StepVerifier.create(batched.flux(
                        Flux.range(0, 20).map(i -> request(1, i)),
                        FluxOptions.builder().concurrency(1).build()))
                .expectNextCount(20)
                .verifyComplete();
        assertThat(runs).hasValue(20);
    }

    /** Whether the subscriber's own thread gets the answer, from so many short requests without company on. */
    private boolean comesToRunHere() {
        for (int i = 0; i < 10_000; i++) {
            Thread answers =
                    batched.mono(request(1, i)).map(BatchingTest::thread).block();
            if (Thread.currentThread().equals(answers)) {
                return true;
            }
        }
        return false;
    }

    private static Thread thread(Outputs outputs) {
        outputs.close();
        return Thread.currentThread();
    }

    @Test
    void shortRequestsThatComeOneAtATimeRunWhereTheyAreAskedFor() {
        assertThat(comesToRunHere()).isTrue();
        float[] expected = answer(session.run(request(2, 1)));
        assertThat(answer(Objects.requireNonNull(batched.mono(request(2, 1)).block())))
                .containsExactly(expected, within());
        StepVerifier.create(batched.mono(
                                request(1, 1),
                                RunOptions.builder().within(Duration.ofHours(1)).build())
                        .map(BatchingTest::thread))
                .assertNext(thread -> assertThat(thread).isInstanceOf(NonBlocking.class))
                .verifyComplete();
    }

    @Test
    void anAnswerThatMakesSomebodyAskAgainGrowsNoStack() {
        assertThat(comesToRunHere()).isTrue();
        int last = Objects.requireNonNull(Mono.just(0)
                .expand(n -> n == 50_000
                        ? Mono.empty()
                        : batched.mono(request(1, 0)).map(outputs -> {
                            outputs.close();
                            return n + 1;
                        }))
                .blockLast());
        assertThat(last).isEqualTo(50_000);
    }

    @Test
    void whoAsksAloneOfAClosedSessionHearsOfIt() {
        assertThat(comesToRunHere()).isTrue();
        session.close();
        StepVerifier.create(batched.mono(request(1, 0)))
                .expectErrorSatisfies(thrown ->
                        assertThat(((EngineException) thrown).status()).isEqualTo(Status.CLOSED))
                .verify();
    }

    @Test
    void batchesOfChangingSizesUseTheirMemoryAgainAndAreRight() throws InterruptedException {
        measureSingles();
        for (int size = 9; size > 1; size--) {
            List<Inputs> requests = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                requests.add(request(1 + i % 2, i));
            }
            List<CompletableFuture<Outputs>> answers = together(requests);
            for (int i = 0; i < size; i++) {
                float[] alone = answer(session.run(requests.get(i)));
                assertThat(answer(answers.get(i).join())).containsExactly(alone, within());
            }
        }
    }

    @Test
    void whatIsWrongWithARequestIsItsOwn() throws InterruptedException {
        measureSingles();
        Tensor closed =
                Tensor.owning(ElementType.FLOAT, Shape.of(1, WIDTH), MemorySegment.ofArray(new float[WIDTH]), () -> {});
        var bad = Inputs.of("x", closed);
        var answers = together(List.of(request(1, 0), request(1, 1), bad, request(1, 2)));
        closed.close();
        assertThat(answer(answers.get(1).join())).hasSize(WIDTH);
        assertThat(answer(answers.get(3).join())).hasSize(WIDTH);
        StepVerifier.create(batched.mono(Inputs.empty()))
                .expectErrorSatisfies(thrown ->
                        assertThat(((EngineException) thrown).status()).isEqualTo(Status.INVALID_ARGUMENT))
                .verify();
    }

    @Test
    void whoIsCancelledWhileItWaitsIsLeftOut() throws InterruptedException {
        measureSingles();
        var answers = together(List.of(request(1, 0)));
        var left = batched.mono(request(1, 1)).subscribe();
        left.dispose();
        assertThat(answer(answers.getFirst().join())).hasSize(WIDTH);
        assertThat(answer(batched.mono(request(1, 2)).toFuture().join())).hasSize(WIDTH);
    }

    @Test
    void theLargestPreferredSizeIsTaken() {
        BatchOptions options = BatchOptions.builder().preferred(2, 4, 8).build();
        assertThat(options.size(1)).isEqualTo(1);
        assertThat(options.size(7)).isEqualTo(4);
        assertThat(options.size(100)).isEqualTo(8);
    }

    @Test
    void largeSizesAreFewSinceASessionPreparesForEach() {
        BatchOptions options = BatchOptions.builder().maxSize(54).build();
        Set<Integer> sizes = new TreeSet<>();
        for (int waiting = 1; waiting <= 100; waiting++) {
            int size = options.size(waiting);
            assertThat(Math.min(waiting, 54) - size).isLessThan((size + 1) / 2);
            sizes.add(size);
        }
        assertThat(sizes).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 54);
    }

    @Test
    void raggedRequestsArePaddedAndCutBack() throws InterruptedException {
        try (Session vectors = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            // along its only axis requests of any length lie side by side
            BatchedSession joined =
                    vectors.batched(BatchOptions.builder().padded(true).build());
            var answers = joined.flux(Flux.range(1, 50)
                            .map(n -> Inputs.of("a", new float[n]).and("b", Tensor.copyOf(new float[n], n))))
                    .map(outputs -> {
                        try (outputs) {
                            return outputs.get("sum").floats().length;
                        }
                    });
            StepVerifier.create(answers.collectList())
                    .assertNext(lengths ->
                            assertThat(lengths).startsWith(1, 2, 3).hasSize(50).endsWith(50))
                    .verifyComplete();
        }
    }

    @Test
    void aModelWithoutSuchAnAxisIsRefused() {
        assertThatThrownBy(() ->
                        session.batched(BatchOptions.builder().axis("nothing").build()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("nothing");
        try (Session loop = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            assertThatThrownBy(() -> loop.batched(BatchOptions.defaults())).isInstanceOf(EngineException.class);
        }
    }

    @Test
    void axesWithoutNamesAreToldByTheirNumbers() {
        try (Session voices = engine.session(TestModels.voices(WIDTH), SessionOptions.defaults())) {
            BatchOptions batching =
                    BatchOptions.builder().along("x", 0).along("state", -2).build();
            BatchedSession joined = voices.batched(
                    batching.toBuilder().along("y", 1).along("stateN", 1).build());
            var random = new Random(3);
            List<Inputs> requests = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                int rows = 1 + i % 3;
                float[] state = new float[2 * rows * WIDTH];
                for (int at = 0; at < state.length; at++) {
                    state[at] = random.nextInt(100);
                }
                requests.add(request(rows, i).and("state", Tensor.copyOf(state, 2, rows, WIDTH)));
            }
            List<Outputs> answers = Objects.requireNonNull(
                    joined.flux(Flux.fromIterable(requests)).collectList().block());
            for (int i = 0; i < requests.size(); i++) {
                try (Outputs alone = voices.run(requests.get(i));
                        Outputs together = answers.get(i)) {
                    assertThat(together.get("y").floats())
                            .isEqualTo(alone.get("y").floats());
                    assertThat(together.get("stateN").floats())
                            .isEqualTo(alone.get("stateN").floats());
                    assertThat(together.get("stateN").shape())
                            .isEqualTo(alone.get("stateN").shape());
                }
            }
            assertRefused(voices, BatchOptions.defaults(), "BatchOptions.along");
            assertRefused(voices, batching, "output 'y' has no axis");
            assertRefused(voices, batching.toBuilder().along("z", 0).build(), "no input or output 'z'");
            assertRefused(voices, batching.toBuilder().along("x", 2).build(), "has no axis 2");
            assertRefused(voices, batching.toBuilder().along("x", 1).build(), "has a fixed extent");
        }
    }

    private static void assertRefused(Session session, BatchOptions batching, String why) {
        assertThatThrownBy(() -> session.batched(batching))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining(why);
    }
}
