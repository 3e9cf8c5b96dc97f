package dev.millrace.pipelines;

import dev.millrace.session.Inference;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A stage of one run of a model. */
record ModelStage<I, O>(Inference inference, Function<? super I, ModelRequest<O>> prepare) implements Stage<I, O> {
    private ModelRequest<O> prepared(I input) {
        return prepare.apply(StageArguments.require(input, "input"));
    }

    @Override
    public O run(I input) {
        ModelRequest<O> request = prepared(input);
        return request.read(inference.run(request.inputs()));
    }

    @Override
    public Mono<O> mono(I input) {
        return Mono.defer(() -> {
            ModelRequest<O> request = prepared(input);
            return inference.mono(request.inputs()).map(request::read);
        });
    }

    @Override
    public int concurrency() {
        return inference.concurrency();
    }

    @Override
    public Flux<O> flux(Publisher<? extends I> inputs) {
        Flux<? extends I> all = Flux.from(StageArguments.require(inputs, "inputs"));
        return Flux.defer(() -> {
            // results come in the order of the requests
            var underWay = new ConcurrentLinkedQueue<ModelRequest<O>>();
            return inference
                    .results(all.map(input -> {
                        ModelRequest<O> request = prepared(input);
                        underWay.add(request);
                        return request.inputs();
                    }))
                    .map(result -> underWay.remove().read(result.orThrow()));
        });
    }
}
