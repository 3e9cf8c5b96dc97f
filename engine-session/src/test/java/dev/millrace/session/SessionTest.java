package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private Session twoOutputs() {
        return engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    }

    @Test
    void aSessionTellsItsInputsAndOutputsAndRuns() {
        try (Session session = twoOutputs()) {
            assertThat(session.inputs()).extracting(ValueInfo::name).containsExactly("a", "b");
            assertThat(session.outputs()).extracting(ValueInfo::name).containsExactly("sum", "product");
            try (Outputs out = session.run(Inputs.of("a", 1, 2f).and("b", Tensor.copyOf(new float[] {3, 4}, 2)))) {
                assertThat(out.get("sum").floats()).containsExactly(4, 6);
                assertThat(out.get(1).floats()).containsExactly(3, 8);
            }
        }
    }

    @Test
    void arraysAreInputsOfOneAxis() {
        Inputs request = Inputs.of("a", 1f, 2f).and("b", 3f, 4f).and("n", 5L, 6L);
        assertThat(request.asMap().values())
                .extracting(Object::toString)
                .containsExactly("tensor float[2]", "tensor float[2]", "tensor int64[2]");
        assertThat(((Tensor) Objects.requireNonNull(request.input("n"))).longs())
                .containsExactly(5, 6);
    }

    @Test
    void onlyTheOutputsAskedForComeBack() {
        try (Session session = twoOutputs();
                Outputs out = session.run(
                        Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1)),
                        RunOptions.builder().outputs("product").build())) {
            assertThat(out.names()).containsExactly("product");
            assertThat(out.get("product").floats()).containsExactly(3);
        }
    }

    @Test
    void outputsThatAreNotThereAreRefusedWithThoseThatAre() {
        try (Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
                Outputs outputs = session.run(Inputs.of("a", 1f).and("b", 2f))) {
            for (Runnable attempt :
                    new Runnable[] {() -> outputs.get(7), () -> outputs.get(-1), () -> outputs.get("z")}) {
                assertThatThrownBy(attempt::run)
                        .isInstanceOf(EngineException.class)
                        .hasMessageContaining("there are [sum, product]");
            }
        }
    }

    @Test
    @Rows(130)
    void wrongInputsAreRefusedWithTheirName() {
        try (Session session = engine.session(TestModels.perceptron(1, 4, 1), SessionOptions.defaults())) {
            refused(session, Inputs.empty(), "Missing Input: x");
            refused(session, Inputs.of("x", 1f, 2f), "Invalid rank for input: x");
            refused(session, Inputs.of("x", Tensor.copyOf(new float[3], 1, 3)), "Got invalid dimensions for input: x");
            refused(session, Inputs.of("x", Tensor.copyOf(new long[4], 1, 4)), "Unexpected input data type for 'x'");
            refused(session, Inputs.of("x", TensorSequence.of()), "TensorSequence");
            refused(
                    session,
                    Inputs.of("x", Tensor.copyOf(new float[4], 1, 4)).and("z", Tensor.scalar(1f)),
                    "Invalid input name: z");
            assertThatThrownBy(() -> session.run(
                            Inputs.of("x", Tensor.copyOf(new float[4], 1, 4)),
                            RunOptions.builder().outputs("nope").build()))
                    .hasMessageContaining("Invalid output name: nope");
        }
    }

    private static void refused(Session session, Inputs inputs, String message) {
        assertThatThrownBy(() -> session.run(inputs))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    @Test
    void aFileThatIsMissingOrNoModelIsRefused(@TempDir Path folder) throws IOException {
        assertThatThrownBy(() -> engine.session(folder.resolve("none.onnx")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE));
        assertThatThrownBy(() -> engine.session(folder))
                .hasMessageEndingWith(folder.getFileName() + ": that is a folder; name the .onnx file itself");
        Path text = Files.writeString(folder.resolve("text.onnx"), "this is no model");
        assertThatThrownBy(() -> engine.session(text))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("text.onnx");
    }

    @Test
    void anInterruptedThreadMakesASessionOfAFileAndStaysInterrupted(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("two.onnx"), TestModels.sumAndProduct());
        Thread.currentThread().interrupt();
        try (Session session = engine.session(file)) {
            assertThat(session.inputs()).hasSize(2);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void providersAreChosenByNameAndUnknownOnesAreListed() {
        var plain = SessionOptions.builder().provider("cpu").build();
        try (Session session = engine.session(TestModels.perceptron(2, 8, 1), plain)) {
            assertThat(session.report().partitions())
                    .allMatch(part -> part.provider().equals("cpu"));
        }
        var unknown = SessionOptions.builder().provider("npu").build();
        assertThatThrownBy(() -> engine.session(TestModels.sumAndProduct(), unknown))
                .hasMessageContaining("'npu'")
                .hasMessageContaining("cpu");
        var twice = SessionOptions.builder().provider("cpu").provider("cpu").build();
        assertThatThrownBy(() -> engine.session(TestModels.sumAndProduct(), twice))
                .hasMessageContaining("named twice");
    }

    @Test
    void everyProviderAndLevelGivesTheSameAnswer() {
        byte[] model = TestModels.perceptron(4, 33, 7);
        Inputs inputs = Inputs.of("x", Tensor.copyOf(ramp(5 * 33), 5, 33));
        var answers = new ArrayList<float[]>();
        for (Level level : Level.values()) {
            for (String provider : new String[] {"cpu", "simd,cpu"}) {
                var options = SessionOptions.builder()
                        .optimiser(Optimiser.Options.builder().level(level).build());
                for (String name : provider.split(",")) {
                    options.provider(name);
                }
                try (Session session = engine.session(model, options.build());
                        Outputs out = session.run(inputs)) {
                    answers.add(out.get("y").floats());
                }
            }
        }
        for (float[] answer : answers) {
            for (int i = 0; i < answer.length; i++) {
                assertThat(answer[i]).isCloseTo(answers.getFirst()[i], Offset.offset(1e-5f));
            }
        }
    }

    private static float[] ramp(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (i % 17 - 8) / 8f;
        }
        return values;
    }

    @Test
    void passesAreSwitchedOffByTheirNameAndUnknownNamesAreRefused() {
        var known = Optimiser.Options.builder()
                .disable(Set.of(Optimiser.passNames().getFirst()))
                .build();
        engine.session(
                        TestModels.sumAndProduct(),
                        SessionOptions.builder().optimiser(known).build())
                .close();
        var unknown =
                Optimiser.Options.builder().disable(Set.of("no-such-pass")).build();
        assertThatThrownBy(() -> engine.session(
                        TestModels.sumAndProduct(),
                        SessionOptions.builder().optimiser(unknown).build()))
                .hasMessageContaining("no-such-pass");
    }

    @Test
    void closingWaitsForRunsUnderWayAndRefusesNewOnes() throws InterruptedException {
        Session session = engine.session(TestModels.loop(), SessionOptions.defaults());
        var isUnderWay = new CountDownLatch(1);
        var cancellation = new Cancellation();
        RunListener listener = new RunListener() {
            @Override
            public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
                isUnderWay.countDown();
            }

            @Override
            public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {}
        };
        var options = RunOptions.builder()
                .cancellation(cancellation)
                .listener(listener)
                .build();
        var outcome = new AtomicReference<Object>();
        Thread runner = Thread.ofPlatform().start(() -> {
            try {
                outcome.set(session.run(forever(), options));
            } catch (EngineException e) {
                outcome.set(e.status());
            }
        });
        isUnderWay.await();
        Thread closer = Thread.ofPlatform().start(session::close);
        while (closer.getState() != Thread.State.WAITING && closer.getState() != Thread.State.TIMED_WAITING) {
            assertThat(closer.isAlive()).as("close waits for the run").isTrue();
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> session.run(forever())).hasMessageContaining("closed");
        assertThat(outcome.get()).as("the run is still under way").isNull();
        cancellation.cancel();
        runner.join();
        closer.join();
        assertThat(outcome.get()).isEqualTo(Status.CANCELLED);
        session.close();
    }

    static Inputs forever() {
        return Inputs.of("n", Tensor.scalar(1L << 40)).and("x", Tensor.copyOf(new float[] {1}, 1));
    }

    @Test
    @Rows(128)
    void aRunThatIsCancelledEndsAndTheSessionGoesOn() throws InterruptedException {
        try (Session session = engine.session(TestModels.loop(), SessionOptions.defaults())) {
            var cancellation = new Cancellation();
            var status = new AtomicReference<Status>();
            Thread runner = Thread.ofPlatform().start(() -> {
                try {
                    session.run(
                            forever(),
                            RunOptions.builder().cancellation(cancellation).build());
                } catch (EngineException e) {
                    status.set(e.status());
                }
            });
            cancellation.cancel();
            runner.join();
            assertThat(status).hasValue(Status.CANCELLED);
            Inputs three = Inputs.of("n", Tensor.scalar(3L)).and("x", Tensor.copyOf(new float[] {1}, 1));
            try (Outputs out = session.run(three)) {
                assertThat(out.get("y").floats()).containsExactly(8);
            }
        }
    }

    @Test
    void cancellingTheCreationStopsIt() {
        var cancellation = new Cancellation();
        cancellation.cancel();
        var options = SessionOptions.builder().cancellation(cancellation).build();
        assertThatThrownBy(() -> engine.session(TestModels.sumAndProduct(), options))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.MODEL_LOAD_CANCELED));
    }

    @Test
    void aClosedEngineMakesNoSessionsButItsSessionsGoOn() {
        try (Session session = twoOutputs()) {
            engine.close();
            session.run(Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1)))
                    .close();
            assertThatThrownBy(this::twoOutputs).hasMessageContaining("closed");
        }
    }

    @Test
    void aTraceHoldsTheRunAndItsSteps(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("trace.json");
        var options = SessionOptions.builder().provider("cpu").build();
        try (Session session = engine.session(TestModels.sumAndProduct(), options);
                var trace = ChromeTrace.to(file)) {
            session.run(
                            Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1)),
                            RunOptions.builder().listener(trace).build())
                    .close();
        }
        assertThat(Files.readString(file))
                .startsWith("[")
                .endsWith("]\n")
                .contains("\"op_name\":\"Add\"", "\"op_name\":\"Mul\"", "\"name\":\"run two\"");
    }

    @Test
    void aFlightRecordingHoldsRunsAndTheirSteps(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("recording.jfr");
        try (Session session = twoOutputs();
                var recording = new Recording()) {
            recording.enable("dev.millrace.Step");
            recording.start();
            session.run(Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1)))
                    .close();
            recording.stop();
            recording.dump(file);
        }
        var names = RecordingFile.readAllEvents(file).stream()
                .map(event -> event.getEventType().getName())
                .toList();
        assertThat(names).contains("dev.millrace.Run", "dev.millrace.Step");
    }

    @Test
    void outputsOutliveTheSessionAndAreReadableUntilTheyAreClosed() {
        Outputs out;
        try (Session session = twoOutputs()) {
            out = session.run(Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1)));
        }
        assertThat(out.get("sum").floats()).containsExactly(4);
        out.close();
        out.close();
        assertThatThrownBy(() -> out.get("sum").floats()).hasMessageContaining("closed");
    }
}
