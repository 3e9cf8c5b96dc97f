package dev.millrace.bench.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.millrace.cli.ModelArgument;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.BatchReport;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Keyed;
import dev.millrace.session.Outputs;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StatefulSession;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Many voices at once through a real detector with state. {@code -Dmillrace.voices=1000 -Dmillrace.voices.frames=200} for
 * more of them.
 */
class VoiceStreamsIT {
    private static final int VOICES = Integer.getInteger("millrace.voices", 50);
    private static final int FRAMES = Integer.getInteger("millrace.voices.frames", 20);
    private static final Tensor RATE = Tensor.scalar(16_000L);

    private static Path model() {
        try {
            return ModelArgument.of("silero-vad").file();
        } catch (EngineException e) {
            return abort("the model cannot be fetched here: " + e.getMessage());
        }
    }

    private static Inputs frame(int voice, int number) {
        var random = new SplittableRandom(31L * voice + number);
        return Inputs.of("input", RandomTensors.uniform(random, -0.5f, 0.5f, 1, 512))
                .and("sr", RATE);
    }

    private static float speech(Outputs outputs) {
        try (outputs) {
            return outputs.get("output").floats()[0];
        }
    }

    private static float[][] alone(StatefulSession detector) {
        float[][] alone = new float[VOICES][FRAMES];
        for (int voice = 0; voice < VOICES; voice++) {
            int own = voice;
            int[] at = {0};
            detector.flux(Flux.range(0, FRAMES).map(number -> frame(own, number)))
                    .map(VoiceStreamsIT::speech)
                    .doOnNext(heard -> alone[own][at[0]++] = heard)
                    .blockLast();
        }
        return alone;
    }

    private static float[][] mixed(StatefulSession detector, int concurrency) {
        float[][] together = new float[VOICES][FRAMES];
        int[] at = new int[VOICES];
        Flux<Keyed<Integer, Inputs>> mixed =
                Flux.range(0, VOICES * FRAMES).map(i -> new Keyed<>(i % VOICES, frame(i % VOICES, i / VOICES)));
        detector.keyed(mixed, FluxOptions.builder().concurrency(concurrency).build())
                .doOnNext(heard -> together[heard.key()][at[heard.key()]++] = speech(heard.value()))
                .blockLast();
        assertThat(at).containsOnly(FRAMES);
        assertThat(detector.size()).isEqualTo(VOICES);
        return together;
    }

    @Test
    void voicesInTurnsAreHeardAsTheyAreAlone() {
        try (Engine engine = Engine.create();
                Session session = engine.session(model());
                StatefulSession detector = session.stateful(State.carry("stateN", "state"))) {
            float[][] alone = alone(detector);
            assertThat(mixed(detector, 8)).isDeepEqualTo(alone);
            // the state matters: one voice's frames are not heard alike
            assertThat(Arrays.stream(new int[] {0, FRAMES - 1}).mapToObj(i -> alone[0][i]))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void voicesInBatchesAreHeardAsTheyAreAlone() {
        var batches = new AtomicInteger();
        BatchOptions axes = BatchOptions.builder()
                .along("input", 0)
                .along("state", 1)
                .along("output", 0)
                .along("stateN", 1)
                .build();
        try (Engine engine = Engine.create(EngineOptions.builder()
                        .requestListener(new Counting(batches))
                        .build());
                Session session = engine.session(model());
                StatefulSession detector = session.stateful(State.carry("stateN", "state"));
                StatefulSession together = session.batched(axes).stateful(State.carry("stateN", "state"))) {
            float[][] alone = alone(detector);
            float[][] heard = mixed(together, 32);
            for (int voice = 0; voice < VOICES; voice++) {
                assertThat(heard[voice]).as("voice %d", voice).containsExactly(alone[voice], Offset.offset(1e-5f));
            }
        }
        assertThat(batches).hasPositiveValue();
    }

    /** Counts batches. */
    private record Counting(AtomicInteger batches) implements RequestListener {
        @Override
        public void ended(RequestReport request) {
            // runs of one are no batches
        }

        @Override
        public void batchEnded(BatchReport batch) {
            batches.incrementAndGet();
        }
    }
}
