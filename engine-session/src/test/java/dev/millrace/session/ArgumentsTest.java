package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Arguments that are missing, or larger than anything. */
@Timeout(60)
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
class ArgumentsTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration NEVER = Duration.ofSeconds(Long.MIN_VALUE);
    private static final Inputs INPUTS = Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {2}, 1));

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static void refused(ThrowingCallable... calls) {
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(Status.INVALID_ARGUMENT));
        }
    }

    @Test
    void optionsThatAreMissing() {
        refused(
                () -> RunOptions.builder().cancellation(null).build(),
                () -> RunOptions.builder().outputs((String) null).build(),
                () -> RunOptions.builder().outputs((String[]) null).build(),
                () -> RunOptions.builder().within(null).build(),
                () -> RunOptions.builder().into(null, Tensor.scalar(1f)).build(),
                () -> FluxOptions.builder().outputs((String) null).build(),
                () -> BatchOptions.builder().along(null, 0).build(),
                () -> BatchOptions.builder().preferred((Integer) null).build(),
                () -> BatchOptions.builder().maxDelay(null).build(),
                () -> EngineOptions.builder().providers(null).build(),
                () -> GenerationOptions.builder().stopTokens((long[]) null).build());
    }

    @Test
    void inputsAndShapesThatAreMissing() {
        refused(
                () -> Inputs.of("a", (float[]) null),
                () -> Inputs.of("a", (long[]) null),
                () -> Inputs.of((Map<String, Tensor>) null),
                () -> session.warmUp(Collections.singletonMap("a", null)),
                () -> session.warmUp(Collections.singletonMap(null, null)));
    }

    @Test
    void sessionsAndFunctionsThatAreMissing() {
        refused(
                () -> session.then((Inference) null),
                () -> session.then(session, (Map<String, String>) null),
                () -> session.then(session, (Function<Outputs, Inputs>) null),
                () -> Generator.of(null),
                () -> Generator.of(session, null),
                () -> DecoderSignature.of(null),
                () -> DecoderSignature.builder(session).state(null));
    }

    @Test
    void statesThatAreMissing() {
        refused(() -> session.stateful((State) null), () -> session.stateful((State[]) null));
        try (var sequences = session.stateful(State.carry("sum", "a").ofZeros(1));
                var sequence = sequences.begin()) {
            refused(
                    () -> sequence.run(null),
                    () -> sequence.run(INPUTS, null),
                    () -> sequence.restore(null),
                    () -> sequence.restore(Collections.singletonMap("a", null)));
        }
    }

    @Test
    void outputsThatThereAreNone() {
        try (Outputs outputs = session.run(INPUTS)) {
            refused(
                    () -> outputs.get(outputs.names().size()),
                    () -> outputs.get(-1),
                    () -> outputs.get(null),
                    () -> outputs.datum(null));
        }
    }

    @Test
    void timesWithoutAnEnd() {
        session.run(INPUTS, RunOptions.builder().within(EVER).build()).close();
        session.flux(Flux.just(INPUTS), FluxOptions.builder().deadline(EVER).build())
                .blockLast()
                .close();
        session.batched(BatchOptions.builder().axis("n").maxDelay(EVER).build())
                .mono(INPUTS)
                .block()
                .close();
        try (var sequences = session.stateful(
                StateOptions.builder().maxSequences(1).idle(EVER).build(),
                State.carry("sum", "a").ofZeros(1))) {
            assertThat(sequences.sequence("one")).isSameAs(sequences.sequence("one"));
        }
        assertThatThrownBy(() -> session.mono(
                                INPUTS, RunOptions.builder().within(NEVER).build())
                        .block())
                .isInstanceOfSatisfying(
                        EngineException.class, late -> assertThat(late.status()).isEqualTo(Status.DEADLINE_EXCEEDED));
    }
}
