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
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ObservedInferenceTest {
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
    private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    private final Engine engine = Engine.create();
    private final Session session = engine.session(
            TestModel.relu(), SessionOptions.builder().name("relu of two").build());
    private final ObservedInference observed = ObservedInference.of(session, registry);

    @BeforeEach
    void listen() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                started.add(context);
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static Inputs request() {
        return Inputs.of("x", -1f, 1f);
    }

    private List<Throwable> errors() {
        return stopped.stream()
                .map(Observation.Context::getError)
                .filter(error -> error != null)
                .toList();
    }

    @Test
    void aRunIsObserved() {
        observed.run(request()).close();
        assertThat(stopped).hasSize(1);
        Observation.Context context = stopped.getFirst();
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
        assertThat(stopped).hasSize(2);
        assertThat(errors()).hasSize(2).allMatch(EngineException.class::isInstance);
    }

    @Test
    void theCallersObservationIsTheParent() {
        Observation outer = Observation.start("outer", registry);
        Mono<Outputs> mono =
                observed.mono(request()).contextWrite(context -> context.put("micrometer.observation", outer));
        try (Outputs outputs = mono.blockOptional().orElseThrow()) {
            assertThat(outputs.get(0).floats()).containsExactly(0, 1);
        }
        try (Observation.Scope _ = outer.openScope()) {
            observed.run(request()).close();
        }
        outer.stop();
        assertThat(stopped.subList(0, 2))
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
        assertThat(stopped).hasSize(4);
        assertThat(errors()).hasSize(1);
    }

    @Test
    void aStreamThatIsCutLeavesNoObservationOpen() throws InterruptedException {
        observed.flux(Flux.range(0, 100).map(_ -> request()))
                .take(3)
                .doOnNext(Outputs::close)
                .blockLast();
        // a request may be on its way into the stream when it is cut
        for (int i = 0; i < 500 && stopped.size() != started.size(); i++) {
            Thread.sleep(10);
        }
        assertThat(stopped).hasSameSizeAs(started);
    }
}
