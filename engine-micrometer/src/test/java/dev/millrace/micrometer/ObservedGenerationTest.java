package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.Token;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Tests of generations on an observed inference that is replaced under them. */
class ObservedGenerationTest {
    private static final GenerationOptions FOUR =
            GenerationOptions.builder().maxTokens(4).build();

    private final RecordedObservations observations = new RecordedObservations();
    private final Engine engine = Engine.create();
    private final ReplaceableSession service = ReplaceableSession.of(model());
    private final Generator generator = Generator.of(ObservedInference.of(service, "counter", observations.registry()));

    private Session model() {
        return engine.session(TestModel.counter(), SessionOptions.defaults());
    }

    @AfterEach
    void close() {
        service.close();
        engine.close();
    }

    @Test
    void aGenerationIsOneObservation() throws InterruptedException {
        assertThat(generator.run(new long[] {1}, FOUR).ids()).containsExactly(2, 3, 4, 0);
        Observation.Context context = observations.takeStopped();
        assertThat(context.getName()).isEqualTo("millrace.generation");
        assertThat(context.getContextualName()).isEqualTo("generate counter");
        assertThat(context.getLowCardinalityKeyValues())
                .extracting(each -> each.getKey() + "=" + each.getValue())
                .containsExactlyInAnyOrder("session=counter", "outcome=MAX_TOKENS");
        assertThat(context.getHighCardinalityKeyValues())
                .extracting(each -> each.getKey() + "=" + each.getValue())
                .containsExactlyInAnyOrder("prompt.tokens=1", "generated.tokens=4");
        assertThat(context.getError()).isNull();
        assertThat(observations.stopped()).isEmpty();
    }

    @Test
    void anObservedStreamEndsOnTheReplacedSession() throws InterruptedException {
        Session old = service.current();
        Observation parent = Observation.start("caller", observations.registry());
        StepVerifier.create(
                        generator
                                .flux(new long[] {1}, FOUR)
                                .map(Token::id)
                                .contextWrite(context -> context.put("micrometer.observation", parent)),
                        2)
                .expectNext(2L, 3L)
                .then(() -> service.replace(model()))
                .thenRequest(5)
                .expectNext(4L, 0L)
                .verifyComplete();
        Observation.Context context = observations.takeStopped();
        assertThat(context.getParentObservation()).isSameAs(parent);
        assertThat(old.health().isAnswering()).isFalse();
        assertThat(generator.run(new long[] {1}, FOUR).ids()).hasSize(4);
        assertThat(observations.takeStopped().getParentObservation()).isNull();
    }

    @Test
    void aFailureIsTheObservationsError() throws InterruptedException {
        GenerationOptions late = FOUR.toBuilder().timeLimit(Duration.ofNanos(1)).build();
        assertThatThrownBy(() -> generator.run(new long[] {1}, late)).isInstanceOf(EngineException.class);
        Observation.Context context = observations.takeStopped();
        assertThat(context.getError()).isInstanceOf(EngineException.class);
        assertThat(context.getLowCardinalityKeyValue("outcome")).isEqualTo(KeyValue.of("outcome", "FAILED"));
    }
}
