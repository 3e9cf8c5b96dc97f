package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.runtime.OpenSession;
import dev.millrace.session.state.CarriedState;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.Receiver;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** Every request that was accepted ends once, and harms no other request. */
@Timeout(60)
class RequestsEndTest {
    private static final int WIDTH = 4;

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final Session session = engine.session(TestModels.perceptron(2, WIDTH, 1), SessionOptions.defaults());
    private final BatchedSession batched =
            session.batched(BatchOptions.builder().maxDelay(Duration.ofHours(1)).build());
    private final Session sums = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    private final StatefulSession stateful =
            sums.stateful(State.carry("sum", "b").ofZeros(1));

    @AfterEach
    void close() {
        stateful.close();
        sums.close();
        session.close();
        engine.close();
    }

    private static Inputs request() {
        return Inputs.of("x", Tensor.copyOf(new float[WIDTH], 1, WIDTH));
    }

    private static final String ANSWERED = "ANSWERED";

    /** How a request ends, once it has: answered, or the status of its failure. */
    private static CompletableFuture<String> asked(Mono<Outputs> mono) {
        var end = new CompletableFuture<String>();
        mono.subscribe(
                outputs -> {
                    outputs.close();
                    end.complete(ANSWERED);
                },
                thrown -> end.complete(
                        thrown instanceof EngineException known ? known.status().name() : thrown.toString()));
        return end;
    }

    private static String ended(CompletableFuture<String> end) {
        return end.orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** So many runs of one request each, after which batches are tried. */
    private static void measureSingles(BatchedSession batches, Inputs inputs) {
        for (int i = 0; i < 3; i++) {
            assertThat(ended(asked(batches.mono(inputs)))).isEqualTo(ANSWERED);
        }
    }

    @Test
    void aRequestThatIsCancelledByItsTokenWhileItWaitsForABatchEnds() throws InterruptedException {
        List<CompletableFuture<String>> asked = new ArrayList<>();
        List<Cancellation> tokens = new ArrayList<>();
        measureSingles(batched, request());
        try (var _ = OccupiedSession.of(session, request())) {
            for (int i = 0; i < 9; i++) {
                var token = new Cancellation();
                tokens.add(token);
                asked.add(asked(batched.mono(
                        request(), RunOptions.builder().cancellation(token).build())));
            }
            for (int i = 1; i < 9; i += 2) {
                tokens.get(i).cancel();
            }
        }
        for (int i = 0; i < 9; i++) {
            assertThat(ended(asked.get(i))).isEqualTo(i % 2 == 1 ? "CANCELLED" : ANSWERED);
        }
    }

    @Test
    void aSequenceGoesOnAfterAnElementThatWasCancelledByItsTokenWhileItWaitedForABatch() throws InterruptedException {
        BatchedSession together = sums.batched(
                BatchOptions.builder().axis("n").maxDelay(Duration.ofHours(1)).build());
        try (StatefulSession sequences =
                together.stateful(State.carry("sum", "b").ofZeros(1))) {
            var token = new Cancellation();
            CompletableFuture<String> first;
            CompletableFuture<String> cancelled;
            measureSingles(together, Inputs.of("a", 1f).and("b", 1f));
            try (var _ = OccupiedSession.of(sums, Inputs.of("a", 1f).and("b", 1f))) {
                first = asked(sequences.sequence("one").mono(Inputs.of("a", 1f)));
                cancelled = asked(sequences
                        .sequence("two")
                        .mono(
                                Inputs.of("a", 1f),
                                RunOptions.builder().cancellation(token).build()));
                token.cancel();
            }
            assertThat(ended(first)).isEqualTo(ANSWERED);
            assertThat(ended(cancelled)).isEqualTo("CANCELLED");
            sequences.sequence("two").run(Inputs.of("a", 2f)).close();
            assertThat(sequences.sequence("two").snapshot().get("b"))
                    .satisfies(state -> assertThat(state.floats()).containsExactly(2f));
        }
    }

    @Test
    void inputsThatAreChangedOnceTheyWereAcceptedChangeNoRequest() throws InterruptedException {
        Inputs reused = request();
        List<CompletableFuture<String>> asked = new ArrayList<>();
        measureSingles(batched, request());
        try (var _ = OccupiedSession.of(session, request())) {
            asked.add(asked(batched.mono(request())));
            asked.add(asked(batched.mono(reused)));
            asked.add(asked(session.mono(reused)));
            reused.and("x", Tensor.scalar(1f)).and("nobody", 1f);
            asked.add(asked(batched.mono(request())));
        }
        asked.forEach(answer -> assertThat(ended(answer)).isEqualTo(ANSWERED));
        assertThat(ended(asked(batched.mono(reused)))).isEqualTo("INVALID_ARGUMENT");
        assertThat(ended(asked(batched.mono(request())))).isEqualTo(ANSWERED);
    }

    @Test
    void inputsWhoseMemoryIsFreedWhileTheyWaitForABatchEndTheirOwnRequest() throws InterruptedException {
        Arena arena = Arena.ofShared();
        Tensor shared = Tensor.wrap(ElementType.FLOAT, Shape.of(WIDTH), arena.allocate(4 * WIDTH, 64));
        Session biased = engine.session(TestModels.biased(WIDTH), SessionOptions.defaults());
        BatchedSession biasedBatches = biased.batched(
                BatchOptions.builder().maxDelay(Duration.ofHours(1)).build());
        List<CompletableFuture<String>> asked = new ArrayList<>();
        Tensor bias = Tensor.copyOf(new float[WIDTH], WIDTH);
        measureSingles(biasedBatches, request().and("bias", bias));
        try (var _ = OccupiedSession.of(biased, request().and("bias", bias))) {
            for (int i = 0; i < 6; i++) {
                Tensor own = i % 3 == 1 ? shared : bias.reshaped(bias.shape());
                asked.add(asked(biasedBatches.mono(request().and("bias", own))));
            }
            arena.close();
        }
        for (int i = 0; i < 6; i++) {
            boolean isAnswered = ended(asked.get(i)).equals(ANSWERED);
            assertThat(isAnswered).isEqualTo(i % 3 != 1);
        }
        biased.close();
    }

    @Test
    void aSubscriberThatThrowsTakesTheAnswerFromNobodyElse() throws InterruptedException {
        var throwing = new BaseSubscriber<Outputs>() {
            @Override
            protected void hookOnNext(Outputs outputs) {
                throw new StackOverflowError("a subscriber's own");
            }
        };
        List<CompletableFuture<String>> asked = new ArrayList<>();
        measureSingles(batched, request());
        try (var _ = OccupiedSession.of(session, request())) {
            asked.add(asked(batched.mono(request())));
            batched.mono(request()).subscribe(throwing);
            for (int i = 0; i < 4; i++) {
                asked.add(asked(batched.mono(request())));
            }
        }
        asked.forEach(answer -> assertThat(ended(answer)).isEqualTo(ANSWERED));
        assertThat(ended(asked(batched.mono(request())))).isEqualTo(ANSWERED);
    }

    @Test
    void allThatWaitForABatchEndWhereTheSessionIsClosed() throws InterruptedException {
        List<CompletableFuture<String>> asked = new ArrayList<>();
        measureSingles(batched, request());
        try (var _ = OccupiedSession.of(session, request())) {
            for (int i = 0; i < 5_000; i++) {
                asked.add(asked(batched.mono(request())));
            }
            session.close(Duration.ZERO);
        }
        assertThat(asked).allSatisfy(answer -> assertThat(ended(answer)).isIn(ANSWERED, "CLOSED", "CANCELLED"));
    }

    @Test
    void allElementsThatWaitEndWhereTheirSequenceIsClosed() throws InterruptedException {
        Sequence sequence = stateful.sequence("one");
        List<CompletableFuture<String>> asked = new ArrayList<>();
        try (var _ = OccupiedSession.of(sums, Inputs.of("a", 1f).and("b", 1f))) {
            asked.add(asked(sequence.mono(Inputs.of("a", 1f))));
            stateful.end("one");
            for (int i = 0; i < 50_000; i++) {
                asked.add(asked(sequence.mono(Inputs.of("a", 1f))));
            }
        }
        assertThat(ended(asked.getFirst())).isEqualTo(ANSWERED);
        assertThat(asked.subList(1, asked.size()))
                .allSatisfy(answer -> assertThat(ended(answer)).isEqualTo("NOT_FOUND"));
    }

    @Test
    void anElementThatWaitsForItsTurnEndsAtItsDeadlineAndWhenItIsDisposedOf() throws InterruptedException {
        Sequence sequence = stateful.sequence("one");
        CompletableFuture<String> late;
        CompletableFuture<String> first;
        try (var _ = OccupiedSession.of(sums, Inputs.of("a", 1f).and("b", 1f))) {
            first = asked(sequence.mono(Inputs.of("a", 1f)));
            late = asked(sequence.mono(
                    Inputs.of("a", 1f),
                    RunOptions.builder().within(Duration.ofMillis(20)).build()));
            Disposable gone = sequence.mono(Inputs.of("a", 1f)).subscribe();
            gone.dispose();
            assertThat(ended(late)).isEqualTo("DEADLINE_EXCEEDED");
            var token = new Cancellation();
            token.cancel();
            assertThatThrownBy(() -> sequence.run(
                            Inputs.of("a", 1f),
                            RunOptions.builder().cancellation(token).build()))
                    .satisfies(thrown ->
                            assertThat(((EngineException) thrown).status()).isEqualTo(Status.CANCELLED));
        }
        assertThat(ended(first)).isEqualTo(ANSWERED);
        assertThat(sequence.snapshot().get("b"))
                .satisfies(state -> assertThat(state.floats()).containsExactly(1f));
    }

    @Test
    void anAnswerMayWaitForTheNextElementOfItsSequence() throws InterruptedException {
        Sequence sequence = stateful.sequence("one");
        var second = new CompletableFuture<float[]>();
        var subscribed = new CountDownLatch(1);
        sequence.mono(Inputs.of("a", 1f)).subscribe(outputs -> {
            outputs.close();
            try (Outputs next = sequence.run(Inputs.of("a", 5f))) {
                second.complete(next.get("product").floats());
            }
            subscribed.countDown();
        });
        subscribed.await();
        assertThat(second.join()).containsExactly(5f);
    }

    @Test
    void whatIsNoTensorOfTheInputsTypeAndRankIsNoState() {
        Session listing = engine.session(TestModels.listing(), SessionOptions.defaults());
        assertThatThrownBy(() -> listing.stateful(State.carry("all", "x"))).hasMessageContaining("cannot be carried");
        assertThatThrownBy(() -> listing.stateful(State.carry("length", "x")))
                .hasMessageContaining("cannot be carried");
        listing.close();
        assertThatThrownBy(() -> sums.stateful(State.carry("sum", "b").ofZeros(2, 128)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("rank");
        assertThatThrownBy(() -> sums.stateful(State.carry("sum", "b").from(Tensor.copyOf(new long[] {1}, 1))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("type");
    }

    @Test
    void aStateThatComesOutAsNoTensorEndsItsElementAlone() {
        Session listing = engine.session(TestModels.listing(), SessionOptions.defaults());
        var carried = new CarriedState(sums, List.of(State.carry("sum", "b").ofZeros(1)));
        // a session whose answers have not what its model declares
        var sequence = new OpenSequence(
                new Streaming() {
                    @Override
                    public List<ValueInfo> inputs() {
                        return List.of();
                    }

                    @Override
                    public List<ValueInfo> outputs() {
                        return List.of();
                    }

                    @Override
                    public Disposable start(Inputs request, RunOptions options, Receiver<Outputs> to) {
                        return ((OpenSession) listing).start(Inputs.of("x", 1f), options, new Receiver<>() {
                            @Override
                            public void answered(Outputs outputs) {
                                to.answered(new Outputs(
                                        List.of("sum", "product"),
                                        new Datum[] {outputs.datum("all"), outputs.datum("length")}));
                            }

                            @Override
                            public void failed(EngineException failure) {
                                to.failed(failure);
                            }
                        });
                    }

                    @Override
                    public Outputs run(Inputs request, RunOptions options) {
                        return sums.run(request, options);
                    }

                    @Override
                    public int concurrency() {
                        return 1;
                    }
                },
                carried);
        assertThat(ended(asked(sequence.mono(Inputs.of("a", 1f))))).isEqualTo("INVALID_ARGUMENT");
        sequence.run(Inputs.of("a", 3f)).close();
        assertThat(sequence.snapshot().get("b"))
                .satisfies(state -> assertThat(state.floats()).containsExactly(3f));
        listing.close();
    }

    @Test
    void aStateIsNotWrittenIntoMemoryOfTheCallers() {
        Sequence sequence = stateful.sequence("one");
        Tensor mine = Tensor.copyOf(new float[1], 1);
        RunOptions into = RunOptions.builder().into("sum", mine).build();
        assertThatThrownBy(() -> sequence.run(Inputs.of("a", 1f), into)).hasMessageContaining("state");
        assertThat(ended(asked(sequence.mono(Inputs.of("a", 1f), into)))).isEqualTo("INVALID_ARGUMENT");
        sequence.run(
                        Inputs.of("a", 1f),
                        RunOptions.builder().into("product", mine).build())
                .close();
        assertThat(sequence.snapshot().get("b"))
                .satisfies(state -> assertThat(state.floats()).containsExactly(1f));
    }

    @Test
    void aSnapshotOfAnotherShapeOrTypeIsRefusedAndTheSequenceGoesOn() {
        Sequence sequence = stateful.sequence("one");
        sequence.run(Inputs.of("a", 4f)).close();
        List<Tensor> wrong = List.of(Tensor.scalar(1f), Tensor.copyOf(new long[] {1}, 1));
        for (Tensor state : wrong) {
            assertThatThrownBy(() -> sequence.restore(Map.of("b", state)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("input");
        }
        sequence.run(Inputs.of("a", 4f)).close();
        assertThat(sequence.snapshot().get("b"))
                .satisfies(state -> assertThat(state.floats()).containsExactly(8f));
    }

    @Test
    void aReplaceableSessionThatIsClosedStaysClosed() {
        byte[] model = TestModels.sumAndProduct();
        ReplaceableSession service = ReplaceableSession.of(engine.session(model, SessionOptions.defaults()));
        service.close();
        Session late = engine.session(model, SessionOptions.defaults());
        assertThatThrownBy(() -> service.replace(late))
                .satisfies(thrown ->
                        assertThat(((EngineException) thrown).status()).isEqualTo(Status.CLOSED));
        Inputs both = Inputs.of("a", 1f).and("b", 1f);
        assertThatThrownBy(() -> service.run(both)).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> late.run(both)).isInstanceOf(EngineException.class);
        assertThat(ended(asked(service.mono(both)))).isEqualTo("CLOSED");
    }
}
