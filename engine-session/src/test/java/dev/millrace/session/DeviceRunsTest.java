package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.scheduler.run.StretchSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests runs of sessions whose steps are done by devices that work on their own. */
@Timeout(120)
class DeviceRunsTest {
    private static final int WIDTH = 16;
    private static final int WAITING = Integer.getInteger("millrace.devices.waiting", 500);

    private static Engine engine(ThreadedFactory... factories) {
        return TestEngines.with(
                List.of(factories), EngineOptions.builder().threads(2).build());
    }

    /** Opens a session of a perceptron whose nodes stay as they are, each provider in front of the host. */
    private static Session session(Engine engine, ThreadedFactory... factories) {
        return session(engine, TestModels.perceptron(4, WIDTH, 1), factories);
    }

    private static Session session(Engine engine, byte[] model, ThreadedFactory... factories) {
        var options = SessionOptions.builder()
                .queue(WAITING)
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        for (ThreadedFactory factory : factories) {
            options.provider(factory.name());
        }
        Session session = engine.session(model, options.provider("cpu").build());
        assertThat(session.label().providers())
                .containsAll(Stream.of(factories).map(ThreadedFactory::name).toList());
        return session;
    }

    private static float[] onHost() {
        try (Engine engine = engine();
                Session session = session(engine)) {
            return TestModels.answer(session, WIDTH);
        }
    }

    private static float[] floats(Outputs outputs) {
        try (outputs) {
            return outputs.get(0).floats();
        }
    }

    private static Inputs request() {
        return Inputs.of("x", TestModels.halves(WIDTH));
    }

    @Rows(119)
    @Test
    void partsOnTwoDevicesAndTheHostGiveTheAnswerOfTheHost() {
        var one = new ThreadedFactory("one", 0, "MatMul", "Gemm");
        var two = new ThreadedFactory("two", 0, "Relu");
        float[] expected = onHost();
        try (Engine engine = engine(one, two);
                Session session = session(engine, one, two)) {
            for (int i = 0; i < 20; i++) {
                assertThat(TestModels.answer(session, WIDTH)).isEqualTo(expected);
            }
        }
        assertThat(one.device().openStreams() + two.device().openStreams()).isZero();
        assertThat(one.device().usedBytes() + two.device().usedBytes()).isZero();
    }

    @Test
    void runsThatWaitForADeviceHoldNoThread() {
        var one = new ThreadedFactory("one", 100_000, "MatMul", "Gemm", "Relu");
        assertNoThreadIsHeld(one, TestModels.perceptron(4, WIDTH, 1), request(), onHost());
    }

    @Test
    void runsOfAProviderThatTakesOneAtATimeHoldNoThread() {
        var one = new ThreadedFactory("one", 100_000, "MatMul", "Gemm", "Relu").withOneRunAtATime();
        assertNoThreadIsHeld(one, TestModels.perceptron(4, WIDTH, 1), request(), onHost());
    }

    @Test
    void runsWhoseNestedGraphsWaitForADeviceHoldNoThread() {
        var one = new ThreadedFactory("one", 100_000, "Add");
        Inputs request = Inputs.of("n", Tensor.scalar(3L)).and("x", Tensor.copyOf(new float[] {1}, 1));
        assertNoThreadIsHeld(one, TestModels.loop(), request, new float[] {8});
    }

    private static void assertNoThreadIsHeld(ThreadedFactory one, byte[] model, Inputs request, float[] expected) {
        try (Engine engine = engine(one);
                Session session = session(engine, model, one)) {
            assertThat(floats(session.run(request))).isEqualTo(expected);
            int before = Thread.activeCount();
            var answers = new ArrayList<Mono<Outputs>>();
            for (int i = 0; i < WAITING; i++) {
                answers.add(session.mono(request));
            }
            List<float[]> all = Flux.merge(Flux.fromIterable(answers), WAITING)
                    .map(DeviceRunsTest::floats)
                    .doOnNext(answer -> assertThat(Thread.activeCount()).isLessThanOrEqualTo(before + 4))
                    .collectList()
                    .block();
            assertThat(all)
                    .hasSize(WAITING)
                    .allSatisfy(answer -> assertThat(answer).isEqualTo(expected));
        }
        assertThat(one.device().openStreams()).isZero();
        assertThat(one.device().usedBytes()).isZero();
    }

    @Test
    void aRunThatIsCancelledWhileItWaitsInLineEndsAtOnce() {
        assertWaitEnds(new ThreadedFactory("one", 20_000_000, "MatMul", "Gemm", "Relu"));
        assertWaitEnds(new ThreadedFactory("one", 20_000_000, "MatMul", "Gemm", "Relu").withOneRunAtATime());
    }

    /** Cancels the last of many runs by its token, and expects its end long before its turn would come. */
    private static void assertWaitEnds(ThreadedFactory one) {
        try (Engine engine = engine(one);
                Session session = session(engine, one)) {
            var under = new ArrayList<Disposable>();
            for (int i = 0; i < 20; i++) {
                under.add(session.mono(request()).subscribe(Outputs::close, failure -> {}));
            }
            var cancellation = new Cancellation();
            var last = session.mono(
                            request(),
                            RunOptions.builder().cancellation(cancellation).build())
                    .toFuture();
            long start = System.nanoTime();
            cancellation.cancel();
            assertThatThrownBy(() -> last.get(2, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
            assertThat(System.nanoTime() - start).isLessThan(1_500_000_000L);
            under.forEach(Disposable::dispose);
        }
        assertThat(one.device().usedBytes()).isZero();
    }

    @Test
    void aRunWhoseDeadlinePassesWhileADeviceWorksEndsAndIsGivenBack() {
        var one = new ThreadedFactory("one", 20_000_000, "MatMul", "Gemm", "Relu");
        try (Engine engine = engine(one);
                Session session = session(engine, one)) {
            RunOptions soon = RunOptions.builder()
                    .deadline(Instant.now().plus(Duration.ofMillis(30)))
                    .build();
            assertThatThrownBy(() -> session.mono(request(), soon).block())
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.status()).isEqualTo(Status.DEADLINE_EXCEEDED));
            assertThat(floats(session.run(request()))).isEqualTo(onHost());
        }
        assertThat(one.device().usedBytes()).isZero();
    }

    @Test
    void aSessionWhoseWeightsCannotBeUploadedIsNotCreated() {
        var one = new ThreadedFactory("one", 0, "MatMul", "Gemm");
        try (Engine engine = engine(one)) {
            one.device().failOneIn(1);
            assertThatThrownBy(() -> session(engine, one))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.status()).isEqualTo(Status.EP_FAIL))
                    .hasMessageContaining("planted");
            one.device().failOneIn(0);
            try (Session session = session(engine, one)) {
                assertThat(TestModels.answer(session, WIDTH)).isEqualTo(onHost());
            }
        }
        assertThat(one.device().usedBytes()).isZero();
    }

    @Test
    void constantsAreNotFoldedByKernelsOfADevice() {
        var one = new ThreadedFactory("one", 0);
        byte[] model = TestModels.foldable();
        var options = SessionOptions.builder();
        float[] expected;
        try (Engine engine = engine();
                Session session = engine.session(model, options.provider("cpu").build())) {
            expected = floats(session.run(Inputs.of("x", 1f, 2f)));
        }
        // without the provider cpu, nobody computes on the host
        try (Engine engine = engine(one);
                Session session = engine.session(
                        model, SessionOptions.builder().provider("one").build())) {
            assertThat(session.label().providers()).containsExactly("one");
            assertThat(floats(session.run(Inputs.of("x", 1f, 2f)))).isEqualTo(expected);
        }
        assertThat(one.device().usedBytes()).isZero();
    }

    @Test
    void whatStreamsDoCanBeLookedAt() {
        var one = new ThreadedFactory("one", 0, "MatMul", "Gemm");
        try (Engine engine = engine(one);
                Session session = session(engine, one)) {
            session.run(request()).close();
            StretchSummary stretch = session.stretches().getFirst();
            assertThat(stretch.onDevices())
                    .singleElement()
                    .satisfies(block -> assertThat(block.place()).isEqualTo("one"));
            assertThat(stretch.streams())
                    .anySatisfy(stream -> {
                        assertThat(stream.device()).isEqualTo("one");
                        assertThat(stream.instructions())
                                .contains("copy to one", "copy to cpu", "notify 0", "barrier 1");
                    })
                    .hasSize(2);
        }
    }

    @Test
    void aTraceHasARowForEachStreamAndAnArrowForEachWait(@TempDir Path folder) throws IOException {
        var one = new ThreadedFactory("one", 0, "MatMul", "Gemm");
        var two = new ThreadedFactory("two", 0, "Relu");
        Path file = folder.resolve("trace.json");
        try (Engine engine = engine(one, two);
                Session session = session(engine, one, two);
                ChromeTrace trace = ChromeTrace.to(file)) {
            session.run(request(), RunOptions.builder().listener(trace).build()).close();
        }
        String text = Files.readString(file);
        assertThat(text)
                .contains("\"name\":\"thread_name\",\"args\":{\"name\":\"one/")
                .contains("\"name\":\"thread_name\",\"args\":{\"name\":\"two/")
                .contains("\"cat\":\"Device\"")
                .contains("MatMul")
                .contains("\"cat\":\"Wait\",\"ph\":\"s\"")
                .contains("\"cat\":\"Wait\",\"ph\":\"f\"");
    }

    @Test
    void weightsAreUploadedOnceForTheSessionsOfAnEngine() {
        var one = new ThreadedFactory("one", 0, "MatMul", "Gemm");
        try (Engine engine = engine(one);
                Session first = session(engine, one)) {
            long ofOne = one.device().usedBytes();
            assertThat(ofOne).isPositive();
            try (Session second = session(engine, one)) {
                assertThat(one.device().usedBytes()).isEqualTo(ofOne);
                assertThat(TestModels.answer(second, WIDTH)).isEqualTo(TestModels.answer(first, WIDTH));
            }
        }
        assertThat(one.device().usedBytes()).isZero();
    }
}
