package dev.millrace.pipelines;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A stage whose results a function changes. */
record Mapped<I, M, O>(Stage<I, M> stage, Function<? super M, ? extends O> change) implements Stage<I, O> {
    @Override
    public O run(I input) {
        return change.apply(stage.run(input));
    }

    @Override
    public Mono<O> mono(I input) {
        return stage.mono(input).map(change);
    }

    @Override
    public int concurrency() {
        return stage.concurrency();
    }

    @Override
    public Flux<O> flux(Publisher<? extends I> inputs) {
        return stage.flux(inputs).map(change);
    }
}
