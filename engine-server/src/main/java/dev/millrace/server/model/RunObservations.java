package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.BatchReport;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.Outputs;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionLabel;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Observations below that of a request: of the time that it waits for its run, and of the run. The Reactor context of a
 * request carries both the request's observation and this object.
 */
public final class RunObservations implements RequestListener {
    /** The key of Micrometer's observation in a Reactor context. */
    private static final String PARENT = "micrometer.observation";

    private final ObservationRegistry registry;
    private final RequestListener next;
    /** The requests that have no answer yet, by the tags of their runs. */
    private final Map<String, ObservedRun> open = new ConcurrentHashMap<>();

    private final AtomicLong tags = new AtomicLong();

    /** @param next hears of the same runs */
    public RunObservations(ObservationRegistry registry, RequestListener next) {
        this.registry = registry;
        this.next = next;
    }

    public ObservationRegistry registry() {
        return registry;
    }

    /** Returns a request with its observation in the Reactor context. */
    public <T> Mono<T> below(Observation request, Mono<T> handling) {
        return handling.contextWrite(Context.of(PARENT, request, RunObservations.class, this));
    }

    /** Returns the failure of a request whose client gave it up. */
    public static EngineException cancelled() {
        return new EngineException(Status.CANCELLED, "the client has gone away");
    }

    /** Returns a run, observed if its request is: its Reactor context says so. */
    static Mono<Outputs> observed(
            ContextView context, String model, RunOptions.Builder options, Function<RunOptions, Mono<Outputs>> run) {
        RunObservations all = context.getOrDefault(RunObservations.class, null);
        Observation request = context.getOrDefault(PARENT, null);
        return all == null || request == null ? run.apply(options.build()) : all.around(model, options, run, request);
    }

    private Mono<Outputs> around(
            String model, RunOptions.Builder options, Function<RunOptions, Mono<Outputs>> run, Observation request) {
        String tag = model + '#' + tags.incrementAndGet();
        var observed = new ObservedRun(model, request);
        open.put(tag, observed);
        return run.apply(options.tag(tag).build())
                .doOnNext(_ -> observed.end(null))
                .doOnError(observed::end)
                .doOnCancel(() -> observed.end(cancelled()))
                .doFinally(_ -> open.remove(tag));
    }

    @Override
    public void began(SessionLabel of, String tag) {
        ObservedRun observed = open.get(tag);
        if (observed != null) {
            observed.began();
        }
        next.began(of, tag);
    }

    @Override
    public void ended(RequestReport request) {
        next.ended(request);
    }

    @Override
    public void batchEnded(BatchReport batch) {
        next.batchEnded(batch);
    }

    @Override
    public void generationEnded(GenerationReport generation) {
        next.generationEnded(generation);
    }

    /** A request that waits for its run, and then runs. */
    private final class ObservedRun {
        private final String model;
        private final Observation request;
        private @Nullable Observation current;
        private boolean runs;

        ObservedRun(String model, Observation request) {
            this.model = model;
            this.request = request;
            current = begin("queue");
        }

        private Observation begin(String phase) {
            return Observation.createNotStarted("millrace.request." + phase, registry)
                    .contextualName(phase + " " + model)
                    .lowCardinalityKeyValue("session", model)
                    .parentObservation(request)
                    .start();
        }

        /** A run that failed in a batch begins again, which belongs to the same observation. */
        synchronized void began() {
            if (current != null && !runs) {
                runs = true;
                current.stop();
                current = begin("run");
            }
        }

        synchronized void end(@Nullable Throwable failure) {
            if (current == null) {
                return;
            }
            if (failure != null) {
                current.error(failure);
            }
            current.stop();
            current = null;
        }
    }
}
