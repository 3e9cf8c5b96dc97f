package dev.millrace.session.request;

import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.stream.AnswerMono;
import dev.millrace.session.stream.InferenceFlux;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.RunSource;
import dev.millrace.session.stream.StreamRules;
import dev.millrace.session.util.Failures;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Mono, Flux and results over what starts runs. */
public abstract class Streaming implements Inference {
    /**
     * Has a request answered on another thread. What comes back stops that, and the receiver may hear of it.
     *
     * @param inputs is nobody else's to change
     */
    public abstract Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to);

    /** Returns the caches that may have room for later steps; none by default. */
    public CacheRoom cacheRoom() {
        return CacheRoom.NONE;
    }

    /** Begins a generation; returns null if nobody wants to hear of it, as by default. */
    public @Nullable HeardGeneration beginGeneration() {
        return null;
    }

    /** Has a request of a caller answered, who may change what it has given as soon as this returns. */
    public final Disposable accept(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        Inputs accepted;
        try {
            accepted = Failures.requireArgument(inputs, "inputs").snapshot();
        } catch (RuntimeException changing) {
            to.failed(Failures.named("the inputs of a request", changing));
            return Disposables.disposed();
        }
        return start(accepted, options, to);
    }

    @Override
    public Mono<Outputs> mono(Inputs inputs, RunOptions options) {
        Failures.requireArgument(options, "options");
        return AnswerMono.of(
                (request, context, to) -> accept(request, RunContext.in(context, options), to),
                Failures.requireArgument(inputs, "inputs"),
                Outputs::close);
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
        return stream(requests, options, new ResultAdapters.Answers());
    }

    @Override
    public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
        return stream(requests, options, new ResultAdapters.Results());
    }

    private <T> Flux<T> stream(
            Publisher<? extends Inputs> requests,
            FluxOptions options,
            InferenceFlux.Delivery<Inputs, Outputs, T> delivery) {
        RunSource<Inputs, Outputs> runs =
                (request, context, to) -> accept(request, RunContext.in(context, options.forRun()), to);
        return InferenceFlux.of(
                runs,
                Failures.requireArgument(requests, "requests"),
                rules(Failures.requireArgument(options, "options"), concurrency()),
                delivery);
    }

    /** Returns the rules of a stream: what its options leave open is the session's. */
    public static StreamRules rules(FluxOptions options, int concurrencyOfSession) {
        return new StreamRules(
                options.concurrency() == 0 ? concurrencyOfSession : options.concurrency(),
                options.prefetch(),
                options.ordered(),
                options.retries());
    }
}
