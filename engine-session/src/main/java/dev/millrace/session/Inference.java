package dev.millrace.session;

import java.util.Map;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What answers requests: a session, or what is made of sessions. Whoever gets an answer closes it. An answer that an
 * operator in between drops is closed where its stream ends with {@code doOnDiscard(Outputs.class, Outputs::close)}, else
 * the garbage collector gets it.
 */
public interface Inference {
    /** Answers on this thread. */
    default Outputs run(Inputs given) {
        return run(given, RunOptions.create());
    }

    Outputs run(Inputs given, RunOptions how);

    /** A run that starts when it is subscribed to, and stops when that subscription is cancelled. */
    default Mono<Outputs> mono(Inputs given) {
        return mono(given, RunOptions.create());
    }

    /**
     * The same with options, and with what {@link RunContext} says. Its cancellation stops the runs of all subscriptions.
     */
    Mono<Outputs> mono(Inputs given, RunOptions how);

    /**
     * A run for each of {@code requests}, answers in their order. A request is asked for only where an answer is wanted, at
     * most {@link SessionOptions#concurrency} ahead; cancelling stops the runs under way.
     */
    default Flux<Outputs> flux(Publisher<? extends Inputs> requests) {
        return flux(requests, FluxOptions.defaults());
    }

    Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions how);

    /**
     * As {@link #flux}, but a request that is refused ends nothing: each comes back with its answer or with its failure.
     * What the publisher of the requests fails with is still the end.
     */
    default Flux<RunResult> results(Publisher<? extends Inputs> requests) {
        return results(requests, FluxOptions.defaults());
    }

    Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions how);

    /** How many requests of a stream are under way at once where its options do not say. */
    int concurrency();

    /** This and then another one, which takes the outputs of this as inputs of the same names. */
    default Inference then(Inference next) {
        return new Pipeline(this, Pipeline::same, next);
    }

    /**
     * This and then another one, which takes the named outputs of this as inputs.
     *
     * @param inputsByOutput the next one's inputs by the names of this one's outputs; what is not named is left behind
     */
    default Inference then(Inference next, Map<String, String> inputsByOutput) {
        return new Pipeline(this, Pipeline.renamed(inputsByOutput), next);
    }

    /**
     * This and then another one.
     *
     * @param between makes the next one's inputs of this one's outputs, which are closed when the next one has answered
     */
    default Inference then(Inference next, Function<Outputs, Inputs> between) {
        return new Pipeline(this, between, next);
    }
}
