package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers that free the memory of their inputs while a run reads it. */
class FreedInputsTest {
    private static final int ROWS = 1 << 16;
    private static final int TRIES = 100;
    private static final double FIRST_WINDOW_NANOS = 2e6;

    @Test
    void aRunAnswersOrRefusesButNeverCrashes() {
        var random = new Random(4);
        try (Engine engine = Engine.create();
                Session session = engine.session(TestModels.perceptron(1, 8, 1), SessionOptions.defaults())) {
            String name = session.inputs().getFirst().name();
            Shape shape = Shape.of(ROWS, 8);
            // a closing that comes too early makes the next one later, and the other way round, on any machine
            double window = FIRST_WINDOW_NANOS;
            int answers = 0;
            for (int i = 0; i < TRIES; i++) {
                Arena arena = Arena.ofShared();
                MemorySegment memory = arena.allocate(4L * shape.elements(), 64);
                Tensor input = Tensor.wrap(ElementType.FLOAT, shape, memory);
                long pause = (long) (random.nextDouble() * window);
                var closing = CompletableFuture.runAsync(() -> close(arena, pause));
                try (Outputs outputs = session.run(Inputs.of(name, input))) {
                    assertThat(outputs.names()).isNotEmpty();
                    answers++;
                    window *= 0.8;
                } catch (EngineException refused) {
                    assertThat(refused).hasMessageNotContaining("defect");
                    window *= 1.25;
                }
                closing.join();
            }
            assertThat(answers).isPositive();
        }
    }

    @Test
    void memoryOfOneThreadIsRefusedWhereAnotherWouldReadIt() {
        try (Engine engine = Engine.create();
                Session session = engine.session(TestModels.perceptron(1, 8, 1), SessionOptions.defaults());
                Arena arena = Arena.ofConfined()) {
            String name = session.inputs().getFirst().name();
            Tensor own = Tensor.wrap(ElementType.FLOAT, Shape.of(1, 8), arena.allocate(32, 64));
            Inputs inputs = Inputs.of(name, own);
            assertThatThrownBy(() -> session.mono(inputs).block())
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("Input '" + name + "'")
                    .hasMessageContaining("Arena.ofShared()");
            assertThatThrownBy(() -> session.batched(BatchOptions.defaults())
                            .mono(inputs)
                            .block())
                    .hasMessageContaining("Arena.ofShared()");
            session.run(inputs).close();
        }
    }

    private static void close(Arena arena, long pause) {
        long end = System.nanoTime() + pause;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        while (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException acquired) {
                Thread.onSpinWait();
            }
        }
    }
}
