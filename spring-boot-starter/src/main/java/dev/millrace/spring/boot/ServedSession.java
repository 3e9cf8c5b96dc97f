package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Health;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLease;
import dev.millrace.session.SessionSource;
import dev.millrace.session.ValueInfo;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A configured session, batched if its properties say so. A reload replaces its model under load: no request fails by it.
 * {@link MillraceSessions} opens and closes it. Thread-safe.
 */
public final class ServedSession implements Inference, SessionSource {
    private final String name;
    private volatile Served served;

    /**
     * An open model.
     *
     * @param owner closes the model, and lets another take its place
     * @param inference answers requests
     */
    private record Served(ReplaceableSession owner, Inference inference, SessionProperties properties) {
        boolean isBatched() {
            return inference != owner;
        }
    }

    ServedSession(String name, Session first, SessionProperties properties) {
        this.name = name;
        this.served = served(ReplaceableSession.of(first), first, properties);
    }

    private static Served served(ReplaceableSession owner, Session session, SessionProperties properties) {
        BatchProperties batch = properties.batch();
        Inference inference = batch != null && batch.enabled() ? session.batched(batch.options()) : owner;
        return new Served(owner, inference, properties);
    }

    /** The name of the session, which is that of its bean. */
    public String name() {
        return name;
    }

    /** The session that answers now. A reload replaces and closes it. */
    public Session session() {
        return served.owner().current();
    }

    /** The properties with which the session was opened. */
    public SessionProperties properties() {
        return served.properties();
    }

    /** The health of the session that answers now. */
    public Health health() {
        return served.owner().health();
    }

    ReplaceableSession owner() {
        return served.owner();
    }

    /** Lets another model answer, then closes the earlier one when its requests have ended. */
    void replace(Session next, SessionProperties properties) {
        ReplaceableSession owner = served.owner();
        served = served(owner, next, properties);
        owner.replace(next);
    }

    /** Lets a model answer after {@link #close}. */
    void reopen(Session next, SessionProperties properties) {
        served = served(ReplaceableSession.of(next), next, properties);
    }

    void close(Duration limit) {
        ReplaceableSession owner = served.owner();
        owner.current().close(limit);
        owner.close();
    }

    @Override
    public List<ValueInfo> inputs() {
        return served.owner().inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return served.owner().outputs();
    }

    @Override
    public int concurrency() {
        return served.inference().concurrency();
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        return asked(each -> each.inference().run(inputs, options));
    }

    /** Leases the session that answers now. Generations share runs by themselves, so batches of requests do not apply. */
    @Override
    public SessionLease lease() {
        return asked(each -> each.owner().lease());
    }

    private <T> T asked(Function<Served, T> request) {
        while (true) {
            Served asked = served;
            try {
                return request.apply(asked);
            } catch (EngineException e) {
                if (!isReplaced(asked, e)) {
                    throw e;
                }
            }
        }
    }

    @Override
    public Mono<Outputs> mono(Inputs inputs, RunOptions options) {
        return Mono.defer(() -> {
            Served asked = served;
            return asked.inference()
                    .mono(inputs, options)
                    .onErrorResume(
                            EngineException.class, e -> isReplaced(asked, e) ? mono(inputs, options) : Mono.error(e));
        });
    }

    /** Whether a request failed only because another model took the place of the one that was asked. */
    private boolean isReplaced(Served asked, EngineException failure) {
        return failure.status() == Status.CLOSED && served != asked;
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
        return Flux.defer(() -> {
            Served asked = served;
            return asked.isBatched()
                    ? results(requests, options).map(RunResult::orThrow)
                    : asked.inference().flux(requests, options);
        });
    }

    /** Streams requests to a batched session one by one, since a stream of its own would end with the model. */
    @Override
    public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
        return Flux.defer(() -> {
            Served asked = served;
            if (!asked.isBatched()) {
                return asked.inference().results(requests, options);
            }
            int most = options.concurrency() == 0 ? asked.inference().concurrency() : options.concurrency();
            Flux<? extends Inputs> all = Flux.from(requests);
            return options.ordered()
                    ? all.flatMapSequential(each -> result(each, options), most, 1)
                    : all.flatMap(each -> result(each, options), most, 1);
        });
    }

    private Mono<RunResult> result(Inputs request, FluxOptions options) {
        return mono(request, options.forRun())
                .map(outputs -> new RunResult(request, outputs, null))
                .onErrorResume(EngineException.class, e -> Mono.just(new RunResult(request, null, e)));
    }

    @Override
    public String toString() {
        return name;
    }
}
