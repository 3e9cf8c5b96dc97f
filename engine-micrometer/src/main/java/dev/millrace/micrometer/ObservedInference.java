package dev.millrace.micrometer;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLease;
import dev.millrace.session.SessionSource;
import dev.millrace.session.ValueInfo;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * An {@link Inference} with an {@link Observation} around each request: {@code millrace.request}, from when the
 * request is taken to its answer or its failure, with the session as a key; and one named {@code millrace.generation} around each
 * generation of a {@code Generator}. Handlers make traces, times or logs of
 * observations. The caller's observation, in the Reactor context or on the thread, is the parent. Closing the
 * observed inference is left to its owner.
 */
public final class ObservedInference implements Inference, SessionSource {
    private static final String NAME = "millrace.request";
    private static final String GENERATION = "millrace.generation";
    /** The key of Micrometer's observation in a Reactor context. */
    private static final String PARENT = "micrometer.observation";

    private final Inference observed;
    private final String session;
    private final ObservationRegistry registry;

    private ObservedInference(Inference observed, String session, ObservationRegistry registry) {
        this.observed = observed;
        this.session = session;
        this.registry = registry;
    }

    public static ObservedInference of(Session session, ObservationRegistry registry) {
        return new ObservedInference(session, session.name(), registry);
    }

    /** @param name the name of the observed inference in observations */
    public static ObservedInference of(Inference observed, String name, ObservationRegistry registry) {
        return new ObservedInference(observed, name, registry);
    }

    @Override
    public List<ValueInfo> inputs() {
        return observed.inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return observed.outputs();
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        Observation observation = begin(NAME, "run", null);
        try (Observation.Scope _ = observation.openScope()) {
            return observed.run(inputs, options);
        } catch (RuntimeException | Error e) {
            observation.error(e);
            throw e;
        } finally {
            observation.stop();
        }
    }

    @Override
    public Mono<Outputs> mono(Inputs inputs, RunOptions options) {
        // ended before the answer is given on: who has the answer finds the observation ended
        return Mono.deferContextual(context -> Mono.using(
                () -> begin(NAME, "run", parent(context)),
                observation -> observed.mono(inputs, options)
                        .doOnError(observation::error)
                        .doOnCancel(() -> observation.error(cancelled()))
                        .contextWrite(inner -> inner.put(PARENT, observation)),
                Observation::stop,
                true));
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
        return results(requests, options).map(RunResult::orThrow);
    }

    @Override
    public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
        return Flux.deferContextual(context -> {
            Observation parent = parent(context);
            var open = new OpenObservations();
            Flux<Inputs> noted =
                    Flux.<Inputs>from(requests).doOnNext(request -> open.add(request, begin(NAME, "run", parent)));
            return observed.results(noted, options)
                    .doOnNext(result -> open.end(result.request(), result.failure()))
                    .doOnError(open::endAll)
                    .doFinally(_ -> open.endAll(cancelled()));
        });
    }

    @Override
    public int concurrency() {
        return observed.concurrency();
    }

    @Override
    public SessionLease lease() {
        SessionLease lease = SessionSource.leaseOf(observed);
        return new ObservedLease(lease, context -> begin(GENERATION, "generate", parent(context)));
    }

    private Observation begin(String name, String action, @Nullable Observation parent) {
        Observation observation = Observation.createNotStarted(name, registry)
                .contextualName(action + " " + session)
                .lowCardinalityKeyValue("session", session);
        return (parent == null ? observation : observation.parentObservation(parent)).start();
    }

    private @Nullable Observation parent(ContextView context) {
        Observation parent = context.getOrDefault(PARENT, null);
        return parent == null ? registry.getCurrentObservation() : parent;
    }

    private static EngineException cancelled() {
        return new EngineException(Status.CANCELLED, "nobody wants the answer any more");
    }
}
