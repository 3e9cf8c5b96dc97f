package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import io.micrometer.observation.Observation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ObservedInferenceTest {
    private final RecordedObservations observations = new RecordedObservations();
    private final Engine engine = Engine.create();
    private final Session session = engine.session(
            TestModel.relu(), SessionOptions.builder().name("relu of two").build());
    private final ObservedInference observed = ObservedInference.of(session, observations.registry());

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static Inputs request() {
        return Inputs.of("x", -1f, 1f);
    }

    private List<Throwable> errors() {
        return observations.stopped().stream()
                .map(Observation.Context::getError)
                .filter(error -> error != null)
                .toList();
    }

    @Test
    void aRunIsObserved() {
        observed.run(request()).close();
        assertThat(observations.stopped()).hasSize(1);
        Observation.Context context = observations.stopped().getFirst();
        assertThat(context.getName()).isEqualTo("millrace.request");
        assertThat(context.getContextualName()).isEqualTo("run relu of two");
        assertThat(context.getLowCardinalityKeyValues()).hasToString("[keyValue(session=relu of two)]");
        assertThat(context.getError()).isNull();
    }

    @Test
    void whatGoesWrongIsTold() {
        assertThatThrownBy(() -> observed.run(Inputs.empty())).isInstanceOf(EngineException.class);
        Mono<Outputs> mono = observed.mono(Inputs.empty());
        assertThatThrownBy(mono::block).isInstanceOf(EngineException.class);
        assertThat(observations.stopped()).hasSize(2);
        assertThat(errors()).hasSize(2).allMatch(EngineException.class::isInstance);
    }

    @Test
    void theCallersObservationIsTheParent() {
        Observation outer = Observation.start("outer", observations.registry());
        Mono<Outputs> mono =
                observed.mono(request()).contextWrite(context -> context.put("micrometer.observation", outer));
        try (Outputs outputs = mono.blockOptional().orElseThrow()) {
            assertThat(outputs.get(0).floats()).containsExactly(0, 1);
        }
        try (Observation.Scope _ = outer.openScope()) {
            observed.run(request()).close();
        }
        outer.stop();
        assertThat(observations.stopped().subList(0, 2))
                .allSatisfy(
                        context -> assertThat(context.getParentObservation()).isSameAs(outer));
    }

    @Test
    void eachRequestOfAStreamIsObserved() {
        Inputs same = request();
        Flux<Inputs> requests = Flux.just(same, Inputs.empty(), same, request());
        List<RunResult> results =
                observed.results(requests).collectList().blockOptional().orElseThrow();
        results.forEach(RunResult::close);
        assertThat(results.stream().filter(RunResult::isAnswer)).hasSize(3);
        assertThat(observations.stopped()).hasSize(4);
        assertThat(errors()).hasSize(1);
    }

    @Test
    void aStreamThatIsCutLeavesNoObservationOpen() throws InterruptedException {
        observed.flux(Flux.range(0, 100).map(_ -> request()))
                .take(3)
                .doOnNext(Outputs::close)
                .blockLast();
        // a request may be on its way into the stream when it is cut
        observations.awaitAllStopped();
        assertThat(observations.stopped()).hasSameSizeAs(observations.started());
    }
}
