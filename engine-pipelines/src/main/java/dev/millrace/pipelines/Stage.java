package dev.millrace.pipelines;

import dev.millrace.session.Inference;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A step from a value to a result, with a model inside. It blocks, or streams with back-pressure and cancellation that reach the
 * runs of the model. Any number of threads may use it at a time. Models stay the caller's to close.
 *
 * @param <I> the type of values
 * @param <O> the type of results
 */
public interface Stage<I, O> {
    /** Returns the result of a value, computed on the calling thread. */
    O run(I input);

    /** Returns the results of values, computed on the calling thread. Stages of texts run several values at a time. */
    default List<O> runAll(List<? extends I> inputs) {
        return StageArguments.all(inputs, "inputs").stream().map(this::run).toList();
    }

    /** Returns the result of a value, computed on subscription. Cancelling the subscription stops the run. */
    Mono<O> mono(I input);

    /** The number of a stream's values that are under way at once. */
    int concurrency();

    /**
     * Returns the results of values in their order. At most {@link #concurrency} values are under way, and no more are asked for. A
     * failure ends the stream.
     */
    default Flux<O> flux(Publisher<? extends I> inputs) {
        return Flux.from(StageArguments.require(inputs, "inputs")).flatMapSequential(this::mono, concurrency(), 1);
    }

    /** Returns this stage followed by another one. */
    default <P> Stage<I, P> then(Stage<? super O, P> next) {
        return new Chained<>(this, StageArguments.require(next, "next"));
    }

    /** Returns this stage with results that a function makes of the results. */
    default <P> Stage<I, P> map(Function<? super O, ? extends P> change) {
        return new Mapped<>(this, StageArguments.require(change, "change"));
    }

    /**
     * Returns a stage around a model.
     *
     * @param inference a session, or a session that is batched, replaceable or observed
     * @param prepare makes the model's inputs of a value, and the function that reads the outputs
     */
    static <I, O> Stage<I, O> of(Inference inference, Function<? super I, ModelRequest<O>> prepare) {
        return new ModelStage<>(
                StageArguments.require(inference, "inference"), StageArguments.require(prepare, "prepare"));
    }
}
