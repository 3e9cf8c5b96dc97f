package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/**
 * Elements of many sequences that become one run. All numbers are whole and small, so that answers are equal to the bit
 * whatever is summed first.
 */
@Timeout(120)
class BatchedSequencesTest {
    private static final int WIDTH = 4;
    private static final int SEQUENCES = 1_000;
    private static final int LENGTH = 5;
    private static final State STATE = State.carry("stateN", "state").ofZeros(2, 1, WIDTH);

    private final Queue<BatchReport> batches = new ConcurrentLinkedQueue<>();
    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(1)
            .requestListener(new SeenBatches(batches))
            .build());
    private final Session session = engine.session(TestModels.voices(WIDTH), SessionOptions.defaults());
    private final BatchedSession batched = session.batched(BatchOptions.builder()
            .maxDelay(Duration.ofHours(1))
            .along("x", 0)
            .along("state", 1)
            .along("y", 1)
            .along("stateN", 1)
            .build());

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static Inputs element(int sequence, int number) {
        float[] values = new float[WIDTH];
        for (int i = 0; i < WIDTH; i++) {
            values[i] = (31 * sequence + 7 * number + i) % 100;
        }
        return Inputs.of("x", Tensor.copyOf(values, 1, WIDTH));
    }

    private static float[] answer(Outputs outputs) {
        try (outputs) {
            assertThat(outputs.names()).containsExactly("y");
            return outputs.get("y").floats();
        }
    }

    @Test
    void manySequencesTogetherAreWhatEachIsAlone() {
        try (StatefulSession together = batched.stateful(STATE);
                StatefulSession alone = session.stateful(STATE)) {
            Flux<Keyed<Integer, Inputs>> mixed = Flux.range(0, SEQUENCES * LENGTH)
                    .map(i -> new Keyed<>(i % SEQUENCES, element(i % SEQUENCES, i / SEQUENCES)));
            List<List<float[]>> heard = new ArrayList<>();
            for (int i = 0; i < SEQUENCES; i++) {
                heard.add(new ArrayList<>());
            }
            together.keyed(mixed, FluxOptions.builder().concurrency(64).build())
                    .doOnNext(answer -> heard.get(answer.key()).add(answer(answer.value())))
                    .blockLast();
            for (int i = 0; i < SEQUENCES; i++) {
                Sequence own = alone.sequence(i);
                for (int number = 0; number < LENGTH; number++) {
                    float[] expected = answer(own.run(element(i, number)));
                    assertThat(heard.get(i).get(number)).isEqualTo(expected);
                }
                assertThat(state(together.sequence(i))).isEqualTo(state(own));
            }
            assertThat(batches)
                    .isNotEmpty()
                    .allSatisfy(batch -> assertThat(batch.size()).isBetween(2, 16));
        }
    }

    @Test
    void anElementThatIsGivenUpWhileItWaitsForABatchLeavesTheStateAsItWas() throws InterruptedException {
        try (StatefulSession together = batched.stateful(STATE)) {
            Sequence kept = together.sequence("kept");
            Sequence left = together.sequence("left");
            for (int i = 0; i < 3; i++) {
                left.mono(element(1, i))
                        .map(BatchedSequencesTest::answer)
                        .toFuture()
                        .join();
            }
            float[] before = state(left);
            Inputs alone = element(0, 0).and("state", Tensor.copyOf(new float[2 * WIDTH], 2, 1, WIDTH));
            OccupiedSession occupied = OccupiedSession.of(session, alone);
            var first = kept.mono(element(2, 0)).toFuture();
            var second = together.sequence("other").mono(element(3, 0)).toFuture();
            left.mono(element(1, 3)).subscribe(Outputs::close).dispose();
            occupied.close();
            answer(first.join());
            answer(second.join());
            assertThat(state(left)).isEqualTo(before);
        }
    }

    private static float[] state(Sequence sequence) {
        return Objects.requireNonNull(sequence.snapshot().get("state")).floats();
    }
}
