package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.scheduler.device.Device;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Tests tensors that lie on a device and stay there from run to run. */
@Timeout(60)
class DeviceTensorsTest {
    private static final int WIDTH = 16;
    private static final RunOptions LEAVE =
            RunOptions.builder().leaveOnDevice(RunOptions.ALL).build();

    private final ThreadedFactory factory = new ThreadedFactory("one", 0, "MatMul", "Gemm", "Add", "Mul", "Relu");
    private final Engine engine = TestEngines.with(
            List.of(factory), EngineOptions.builder().threads(2).build());

    @AfterEach
    void nothingIsLeft() {
        engine.close();
        // the thread that ended the last run may still be leaving its session, and closes the streams then
        long begun = System.nanoTime();
        while (factory.device().openStreams() > 0 && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(10)) {
            Thread.onSpinWait();
        }
        assertThat(factory.device().openStreams()).isZero();
        assertThat(factory.device().usedBytes()).isZero();
    }

    private static SessionOptions options(String provider) {
        var plain = Optimiser.Options.builder().level(Level.DISABLED).build();
        return SessionOptions.builder()
                .optimiser(plain)
                .provider(provider)
                .provider("cpu")
                .build();
    }

    private Session session(byte[] model) {
        return engine.session(model, options("one"));
    }

    private static Tensor halves() {
        return TestModels.halves(WIDTH);
    }

    @Test
    void anOutputThatStaysIsCopiedWhereItIsReadFirst() {
        try (Session session = session(TestModels.perceptron(2, WIDTH, 1))) {
            float[] expected = TestModels.answer(session, WIDTH);
            int before = factory.device().hostCopies();
            try (Outputs outputs = session.run(Inputs.of("x", halves()), LEAVE)) {
                assertThat(factory.device().hostCopies() - before).isEqualTo(1);
                assertThat(outputs.get("y").floats()).isEqualTo(expected);
                assertThat(outputs.get("y").segment().byteSize()).isEqualTo(4L * WIDTH);
                assertThat(factory.device().hostCopies() - before).isEqualTo(2);
            }
        }
    }

    @Test
    void aTensorOnADeviceIsAnInputOfManyRunsWithoutACopy() {
        try (Session session = session(TestModels.perceptron(2, WIDTH, 1))) {
            float[] expected = TestModels.answer(session, WIDTH);
            Device device = session.devices().getFirst();
            try (Tensor x = halves().on(device)) {
                int before = factory.device().hostCopies();
                for (int i = 0; i < 10; i++) {
                    try (Outputs outputs = session.run(Inputs.of("x", x))) {
                        assertThat(outputs.get("y").floats()).isEqualTo(expected);
                    }
                }
                assertThat(factory.device().hostCopies() - before).isEqualTo(10);
                assertThat(x.reshaped(Shape.of(WIDTH)).floats()).isEqualTo(halves().floats());
            }
        }
    }

    @Test
    void aTensorOnADeviceIsReadByASessionOfTheHost() {
        try (Session session = session(TestModels.perceptron(2, WIDTH, 1));
                Session onHost = engine.session(
                        TestModels.perceptron(2, WIDTH, 1),
                        SessionOptions.builder().provider("cpu").build());
                Tensor x = halves().on(session.devices().getFirst())) {
            assertThat(onHost.devices()).isEmpty();
            assertThat(onHost.run(Inputs.of("x", x)).get("y").floats())
                    .isEqualTo(onHost.run(Inputs.of("x", halves())).get("y").floats());
        }
    }

    @Test
    void aClosedTensorOnADeviceIsRefused() {
        try (Session session = session(TestModels.perceptron(1, WIDTH, 1))) {
            Tensor x = halves().on(session.devices().getFirst());
            x.close();
            assertThatThrownBy(x::floats).hasMessageContaining("is closed");
            assertThatThrownBy(() -> session.run(Inputs.of("x", x)))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.status()).isEqualTo(Status.INVALID_ARGUMENT));
        }
    }

    @Test
    void stringsStayOnTheHost() {
        try (Session session = session(TestModels.perceptron(1, WIDTH, 1))) {
            Tensor text = Tensor.ofStrings(Shape.of(1), "a");
            Device device = session.devices().getFirst();
            assertThatThrownBy(() -> text.on(device)).hasMessageContaining("strings cannot lie on one");
        }
    }

    @Rows({114, 117, 118})
    @Test
    void theMemoryOfADeviceIsAnArenaThatAllSessionsShare() {
        assertThat(engine.deviceMemory()).isEmpty();
        try (Session first = session(TestModels.perceptron(2, WIDTH, 1));
                Session second = session(TestModels.perceptron(2, WIDTH, 2))) {
            TestModels.answer(first, WIDTH);
            TestModels.answer(second, WIDTH);
            assertThat(engine.deviceMemory()).singleElement().satisfies(use -> {
                assertThat(use.device().name()).isEqualTo("one");
                assertThat(use.memory().allocations()).isGreaterThan(2);
                assertThat(use.memory().extensions()).isOne();
                assertThat(use.memory().heldBytes()).isEqualTo(factory.device().usedBytes());
                assertThat(use.memory().usedBytes()).isLessThan(use.memory().heldBytes());
            });
            assertThat(factory.device().shrinkages()).isZero();
        }
        try (Session third = session(TestModels.perceptron(2, WIDTH, 3))) {
            third.trim();
        }
        engine.close();
        assertThat(factory.device().shrinkages()).isPositive();
        assertThat(engine.deviceMemory())
                .singleElement()
                .satisfies(use -> assertThat(use.memory().heldBytes()).isZero());
    }

    @Test
    void aSessionThatFindsNoMemoryOnItsDeviceIsRefused() {
        var small = new ThreadedFactory("small", 0, "MatMul", "Add", "Relu");
        try (Engine tight = TestEngines.with(
                        List.of(small),
                        EngineOptions.builder().threads(1).deviceMemory(8192).build());
                Session fits = tight.session(TestModels.perceptron(2, WIDTH, 1), options("small"))) {
            assertThat(TestModels.answer(fits, WIDTH)).hasSize(WIDTH);
            assertThatThrownBy(() -> tight.session(TestModels.perceptron(9, WIDTH, 2), options("small")))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("EngineOptions.deviceMemory");
            assertThat(TestModels.answer(fits, WIDTH)).hasSize(WIDTH);
        }
        assertThat(small.device().usedBytes()).isZero();
    }

    @Test
    void theStateOfASequenceStaysOnTheDevice() {
        try (Session session = session(TestModels.sumAndProduct());
                StatefulSession stateful =
                        session.stateful(State.carry("sum", "b").ofZeros(1))) {
            Sequence sequence = stateful.sequence("one");
            sequence.run(Inputs.of("a", 1f)).close();

            int before = factory.device().hostCopies();
            for (int i = 0; i < 10; i++) {
                sequence.run(Inputs.of("a", 1f)).close();
            }
            // each input goes up and each product comes down; the state stays
            assertThat(factory.device().hostCopies() - before).isEqualTo(20);
            assertThat(sequence.snapshot())
                    .hasEntrySatisfying("b", state -> assertThat(state.floats()).containsExactly(11));
        }
    }

    @Test
    void theStagesOfAPipelineHandTensorsOverOnTheDevice() {
        try (Session first = session(TestModels.perceptron(1, WIDTH, 1));
                Session second = session(TestModels.perceptron(1, WIDTH, 2))) {
            float[] middle = TestModels.answer(first, WIDTH);
            float[] expected = second.run(Inputs.of("x", Tensor.copyOf(middle, 1, WIDTH)))
                    .get("y")
                    .floats();
            Inference both = first.then(second, Map.of("y", "x"));
            int before = factory.device().hostCopies();
            List<float[]> answers = both.flux(Flux.range(0, 10).map(_ -> Inputs.of("x", halves())))
                    .map(outputs -> {
                        try (outputs) {
                            return outputs.get("y").floats();
                        }
                    })
                    .collectList()
                    .block();
            assertThat(answers)
                    .hasSize(10)
                    .allSatisfy(answer -> assertThat(answer).isEqualTo(expected));
            assertThat(factory.device().hostCopies() - before).isEqualTo(20);
        }
    }
}
