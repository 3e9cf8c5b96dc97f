package dev.millrace.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.runtime.OpenSession;
import dev.millrace.session.state.OpenStatefulSession;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Sequences whose state is the sum of their elements; an answer is an element times the state before it. */
@Timeout(60)
class StatefulTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());
    private final Session session = engine.session(
            TestModels.sumAndProduct(), SessionOptions.builder().concurrency(4).build());
    private final StatefulSession sums =
            session.stateful(State.carry("sum", "b").ofZeros(1));

    @AfterEach
    void close() {
        sums.close();
        session.close();
        engine.close();
    }

    private static Inputs element(float a) {
        return Inputs.of("a", a);
    }

    private static float product(Outputs outputs) {
        try (outputs) {
            assertThat(outputs.names()).containsExactly("product");
            return outputs.get("product").floats()[0];
        }
    }

    private static float sum(Sequence sequence) {
        return requireNonNull(sequence.snapshot().get("b")).floats()[0];
    }

    @Test
    void anOutputIsTheNextElementsInput() {
        Sequence sequence = sums.sequence("one");
        assertThat(product(sequence.run(element(2)))).isEqualTo(0);
        assertThat(product(sequence.run(element(3)))).isEqualTo(6);
        assertThat(product(sequence.run(element(4)))).isEqualTo(20);
        assertThat(sum(sequence)).isEqualTo(9);
    }

    @Test
    void aFluxIsASequence() {
        var answers =
                sums.flux(Flux.just(2f, 3f, 4f).map(StatefulTest::element)).map(StatefulTest::product);
        StepVerifier.create(answers).expectNext(0f, 6f, 20f).verifyComplete();
        StepVerifier.create(answers).expectNext(0f, 6f, 20f).verifyComplete();
        assertThat(sums.size()).isZero();
    }

    @Test
    void manySequencesMixedAreWhatEachWouldBeAlone() {
        int count = 50;
        int length = 20;
        var elements = Flux.range(0, count * length).map(i -> new Keyed<>(i % count, element(i % count + i / count)));
        Map<Integer, Float> last = new HashMap<>();
        StepVerifier.create(sums.keyed(
                                elements, FluxOptions.builder().ordered(false).build())
                        .doOnNext(answer -> last.put(answer.key(), product(answer.value()))))
                .expectNextCount(count * length)
                .verifyComplete();
        for (int key = 0; key < count; key++) {
            float state = 0;
            for (int i = 0; i < length - 1; i++) {
                state += key + i;
            }
            assertThat(sum(sums.sequence(key))).isEqualTo(state + key + length - 1);
        }
        assertThat(sums.size()).isEqualTo(count);
    }

    @Test
    void anElementThatFailsLeavesTheStateAsItWas() {
        Sequence sequence = sums.sequence("one");
        product(sequence.run(element(2)));
        assertThatThrownBy(() -> sequence.run(Inputs.empty())).hasMessageContaining("Missing Input");
        StepVerifier.create(sequence.mono(Inputs.of("a", 1f, 2f)))
                .expectError(EngineException.class)
                .verify();
        assertThatThrownBy(() -> sequence.run(element(1).and("b", Tensor.scalar(1f))))
                .hasMessageContaining("state");
        assertThat(sum(sequence)).isEqualTo(2);
    }

    @Test
    void aSequenceGoesOnFromASnapshot() {
        Sequence one = sums.sequence("one");
        product(one.run(element(2)));
        Map<String, Tensor> snapshot = one.snapshot();
        product(one.run(element(5)));
        Sequence other = sums.sequence("other");
        other.restore(snapshot);
        assertThat(product(other.run(element(10)))).isEqualTo(20);
        one.reset();
        assertThat(sum(one)).isEqualTo(0);
        assertThatThrownBy(() -> one.restore(Map.of())).isInstanceOf(EngineException.class);
    }

    @Test
    void statesThatAreLetGoAreClosed() {
        Sequence sequence = sums.sequence("one");
        Tensor begin = Tensor.copyOf(new float[] {7}, 1);
        try (StatefulSession from = session.stateful(State.carry("sum", "b").from(begin))) {
            assertThat(product(from.sequence(1).run(element(2)))).isEqualTo(14);
        }
        assertThat(begin.isClosed()).isFalse();
        sums.end("one");
        assertGone(sequence);
    }

    private static void assertGone(Sequence sequence) {
        assertThatThrownBy(() -> sequence.run(element(1)))
                .satisfies(thrown ->
                        assertThat(((EngineException) thrown).status()).isEqualTo(Status.NOT_FOUND));
    }

    @Test
    void theSequenceThatRestsLongestIsGivenUpForOneMore() {
        try (StatefulSession few = session.stateful(
                StateOptions.builder().maxSequences(2).build(),
                State.carry("sum", "b").ofZeros(1))) {
            Sequence first = few.sequence(1);
            Sequence second = few.sequence(2);
            assertThat(few.sequence(1)).isSameAs(first);
            few.sequence(3);
            assertGone(second);
            assertThat(product(first.run(element(1)))).isEqualTo(0);
            assertThat(few.size()).isEqualTo(2);
        }
    }

    @Test
    void aSequenceThatRestsTooLongIsGivenUp() {
        var now = new AtomicLong();
        try (StatefulSession brief = new OpenStatefulSession(
                OpenSession.of(session),
                OpenSession.of(session),
                StateOptions.builder().idle(Duration.ofNanos(5)).build(),
                List.of(State.carry("sum", "b").ofZeros(1)),
                now::get)) {
            Sequence first = brief.sequence(1);
            now.set(5);
            Sequence second = brief.sequence(2);
            now.set(6);
            assertThat(brief.sequence(2)).isSameAs(second);
            assertThat(brief.size()).isEqualTo(1);
            assertGone(first);
        }
    }

    @Test
    void senselessStatesAreRefused() {
        assertThatThrownBy(() -> session.stateful(State.carry("nothing", "b"))).hasMessageContaining("Invalid output");
        assertThatThrownBy(() -> session.stateful(State.carry("sum", "nothing")))
                .hasMessageContaining("Invalid input");
        assertThatThrownBy(() -> session.stateful(State.carry("sum", "b"), State.carry("product", "b")))
                .hasMessageContaining("two states");
    }
}
