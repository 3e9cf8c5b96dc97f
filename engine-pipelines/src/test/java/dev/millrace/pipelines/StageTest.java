package dev.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class StageTest {
    private static final FixedInference DOUBLING = FixedInference.of(List.of("x"), 1, inputs -> new Tensor[] {
        Tensor.copyOf(new float[] {2 * FixedInference.tensor(inputs, "x").floats()[0]}, 1)
    });

    private static final Stage<Integer, Float> TWICE = Stage.of(
            DOUBLING,
            number -> new ModelRequest<>(
                    Inputs.of("x", (float) number),
                    outputs -> outputs.get("out0").floats()[0]));

    @Test
    void aStageBlocksAndStreams() {
        assertThat(TWICE.run(3)).isEqualTo(6);
        assertThat(TWICE.runAll(List.of(1, 2))).containsExactly(2f, 4f);
        StepVerifier.create(TWICE.mono(4)).expectNext(8f).verifyComplete();
        StepVerifier.create(TWICE.flux(Flux.just(1, 2, 3)))
                .expectNext(2f, 4f, 6f)
                .verifyComplete();
    }

    @Test
    void stagesFollowEachOther() {
        Stage<Integer, String> text = TWICE.map(Math::round).then(TWICE).map(number -> "=" + number);
        assertThat(text.run(3)).isEqualTo("=12.0");
        StepVerifier.create(text.mono(1)).expectNext("=4.0").verifyComplete();
        StepVerifier.create(text.flux(Flux.just(1, 2)))
                .expectNext("=4.0", "=8.0")
                .verifyComplete();
        assertThat(text.concurrency()).isEqualTo(2);
    }

    @Test
    void eachResultIsReadByItsOwnRequest() {
        Stage<Integer, String> named = Stage.of(
                DOUBLING,
                number -> new ModelRequest<>(
                        Inputs.of("x", (float) number),
                        outputs -> number + ":" + outputs.get("out0").floats()[0]));
        StepVerifier.create(named.flux(Flux.just(1, 2)))
                .expectNext("1:2.0", "2:4.0")
                .verifyComplete();
    }

    @Test
    void demandReachesTheSource() {
        var asked = new AtomicLong();
        Stage<Integer, Float> chain = TWICE.map(Math::round).then(TWICE);
        Flux<Integer> source = Flux.range(0, 1000).doOnRequest(asked::addAndGet);
        StepVerifier.create(chain.flux(source), 1)
                .expectNextCount(1)
                .then(() -> assertThat(asked.get()).isLessThan(10))
                .thenCancel()
                .verify();
    }

    @Test
    void labelsAreOrderedByTheirScores() {
        double[] scores = LabelScores.softmax(new float[] {1, 3, 2, 3});
        assertThat(LabelScores.top(scores, 3, List.of("a", "b")))
                .extracting(ScoredLabel::label)
                .containsExactly("b", "3", "2");
        assertThat(Arrays.stream(scores).sum()).isCloseTo(1, within(1e-12));
        assertThat(LabelScores.sigmoid(0)).isEqualTo(0.5);
        assertThat(LabelScores.argMax(new float[] {9, 1, 5, 5}, 1, 3)).isEqualTo(1);
    }

    @Test
    @SuppressWarnings("NullAway")
    void missingArgumentsAreNamed() {
        assertThatThrownBy(() -> TWICE.run(null)).hasMessage("the argument 'input' is null");
        assertThatThrownBy(() -> TWICE.then(null)).hasMessage("the argument 'next' is null");
        assertThatThrownBy(() -> Stage.of(null, x -> null)).hasMessage("the argument 'inference' is null");
    }
}
