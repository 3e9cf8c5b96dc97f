package dev.millrace.pipelines;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two stages, the second of which takes the results of the first. */
record Chained<I, M, O>(Stage<I, M> first, Stage<? super M, O> second) implements Stage<I, O> {
    @Override
    public O run(I input) {
        return second.run(first.run(input));
    }

    @Override
    public Mono<O> mono(I input) {
        return first.mono(input).flatMap(second::mono);
    }

    @Override
    public int concurrency() {
        return Math.min(first.concurrency(), second.concurrency());
    }

    @Override
    public Flux<O> flux(Publisher<? extends I> inputs) {
        return second.flux(first.flux(inputs));
    }
}
