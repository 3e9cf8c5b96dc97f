package dev.millrace.session;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A source of answers to requests: a session, or a composition of sessions. The receiver of an answer closes it. An
 * answer that an operator of the stream drops is closed if the stream ends with {@code doOnDiscard(Outputs.class,
 * Outputs::close)}, else the garbage collector reclaims it.
 */
public interface Inference {
    /** The inputs in the model's order. */
    List<ValueInfo> inputs();

    /** The outputs in the model's order. */
    List<ValueInfo> outputs();

    /** Answers a request on the calling thread. */
    default Outputs run(Inputs inputs) {
        return run(inputs, RunOptions.defaults());
    }

    Outputs run(Inputs inputs, RunOptions options);

    /** Returns a run that starts when it is subscribed to, and stops when that subscription is cancelled. */
    default Mono<Outputs> mono(Inputs inputs) {
        return mono(inputs, RunOptions.defaults());
    }

    /**
     * Returns a run with these options, combined with those of {@link RunContext}. Their cancellation
     * stops the runs of all subscriptions.
     */
    Mono<Outputs> mono(Inputs inputs, RunOptions options);

    /**
     * Runs each of {@code requests} and emits the answers in their order. A request is asked for only when an answer is
     * wanted, at most {@link SessionOptions#concurrency} ahead; cancelling stops the runs under way.
     */
    default Flux<Outputs> flux(Publisher<? extends Inputs> requests) {
        return flux(requests, FluxOptions.defaults());
    }

    Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options);

    /**
     * Runs each of {@code requests} and emits one result per request, an answer or a failure, so a refused request does
     * not end the stream. A failure of the publisher of the requests still ends it.
     */
    default Flux<RunResult> results(Publisher<? extends Inputs> requests) {
        return results(requests, FluxOptions.defaults());
    }

    Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options);

    /** The number of a stream's requests that are under way at once unless its options say. */
    int concurrency();

    /** Composes this with a next one, which takes the outputs of this as inputs of the same names. */
    default Inference then(Inference next) {
        return new Pipeline(this, Pipeline::same, next);
    }

    /**
     * Composes this with a next one, which takes the named outputs of this as inputs.
     *
     * @param inputsByOutput the next one's inputs by the names of this one's outputs; other outputs are dropped
     */
    default Inference then(Inference next, Map<String, String> inputsByOutput) {
        return new Pipeline(this, Pipeline.renamed(inputsByOutput), next);
    }

    /**
     * Composes this with a next one.
     *
     * @param between makes the next one's inputs from this one's outputs, which are closed when
     *     the next one has answered
     */
    default Inference then(Inference next, Function<Outputs, Inputs> between) {
        return new Pipeline(this, between, next);
    }
}
