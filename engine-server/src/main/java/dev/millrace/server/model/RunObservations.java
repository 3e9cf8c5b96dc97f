package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.timeline.RequestTimeline;
import dev.millrace.server.timeline.RunTimes;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The waiting and running of requests, as parts of their timelines and as observations below theirs. The Reactor context of a
 * request carries its timeline, its observation if there is one, and this object.
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
        return handling.contextWrite(Context.of(PARENT, request));
    }

    /** Returns a request whose runs are parts of its timeline. */
    public <T> Mono<T> in(RequestTimeline timeline, Mono<T> handling) {
        return handling.contextWrite(Context.of(RequestTimeline.class, timeline, RunObservations.class, this));
    }

    /** Returns the failure of a request whose client gave it up. */
    public static EngineException cancelled() {
        return new EngineException(Status.CANCELLED, "the client has gone away");
    }

    /** Returns a run that is a part of its request, if the request's Reactor context has a timeline. */
    static Mono<Outputs> observed(
            ContextView context, String model, RunOptions.Builder options, Function<RunOptions, Mono<Outputs>> run) {
        RunObservations all = context.getOrDefault(RunObservations.class, null);
        RequestTimeline timeline = context.getOrDefault(RequestTimeline.class, null);
        if (all == null || timeline == null) {
            return run.apply(options.build());
        }
        Observation request = context.getOrDefault(PARENT, null);
        return all.around(model, options, run, timeline.beginRun(model), request == null ? Observation.NOOP : request);
    }

    /** Whether a run of a request has begun, if the request's Reactor context has a timeline. */
    static boolean hasRun(ContextView context) {
        RequestTimeline timeline = context.getOrDefault(RequestTimeline.class, null);
        return timeline != null && timeline.runs().stream().anyMatch(run -> run.began() != 0);
    }

    private Mono<Outputs> around(
            String model,
            RunOptions.Builder options,
            Function<RunOptions, Mono<Outputs>> run,
            RunTimes times,
            Observation request) {
        String tag = model + '#' + tags.incrementAndGet();
        var observed = new ObservedRun(model, times, request);
        open.put(tag, observed);
        return run.apply(options.tag(tag).build()).doOnEach(observed).doFinally(end -> {
            open.remove(tag);
            if (end == SignalType.CANCEL) {
                observed.end(cancelled());
            }
        });
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
    public void joined(SessionLabel of, String tag, int requests) {
        ObservedRun observed = open.get(tag);
        if (observed != null) {
            observed.times.join(requests);
        }
        next.joined(of, tag, requests);
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
    private final class ObservedRun implements Consumer<Signal<Outputs>> {
        private final String model;
        private final RunTimes times;
        private final Observation request;
        private @Nullable Observation current;
        private boolean runs;

        ObservedRun(String model, RunTimes times, Observation request) {
            this.model = model;
            this.times = times;
            this.request = request;
            current = begin("queue");
        }

        private Observation begin(String phase) {
            if (request.isNoop()) {
                return Observation.NOOP;
            }
            return Observation.createNotStarted("millrace.request." + phase, registry)
                    .contextualName(phase + " " + model)
                    .lowCardinalityKeyValue("session", model)
                    .parentObservation(request)
                    .start();
        }

        /** A run that failed in a batch begins again, which belongs to the same observation. */
        synchronized void began() {
            if (current == null) {
                return;
            }
            times.begin();
            if (!runs) {
                runs = true;
                current.stop();
                current = begin("run");
            }
        }

        @Override
        public void accept(Signal<Outputs> signal) {
            if (signal.isOnNext() || signal.isOnError()) {
                end(signal.getThrowable());
            }
        }

        synchronized void end(@Nullable Throwable failure) {
            if (current == null) {
                return;
            }
            times.end();
            if (failure != null) {
                current.error(failure);
            }
            current.stop();
            current = null;
        }
    }
}
