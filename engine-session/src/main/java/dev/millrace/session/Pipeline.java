package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.util.Failures;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Two that answer, one after the other: what the first one answers is what the second one is asked. Tensors are handed over
 * as they are, on the device where they lie, and closed when the second one has answered. Each works at its own concurrency, on different requests at a
 * time, and takes no more from the one before it than it is asked for. It owns neither of the two.
 */
final class Pipeline implements Inference {
    private final Inference first;
    private final Function<Outputs, Inputs> between;
    private final Inference second;

    Pipeline(Inference first, Function<Outputs, Inputs> between, Inference second) {
        this.first = first;
        this.between = Failures.requireArgument(between, "between");
        this.second = Failures.requireArgument(second, "next");
    }

    /** Outputs as inputs of other names; those that are not named are left behind. */
    static Function<Outputs, Inputs> renamed(Map<String, String> inputsByOutput) {
        var names = Failures.all(inputsByOutput, "inputsByOutput");
        return outputs -> {
            Inputs inputs = Inputs.empty();
            names.forEach((output, input) -> inputs.and(input, outputs.datum(output)));
            return inputs;
        };
    }

    /** Every output as the input of its name. */
    static Inputs same(Outputs outputs) {
        Inputs inputs = Inputs.empty();
        for (Map.Entry<String, Datum> each : outputs.asMap().entrySet()) {
            inputs.and(each.getKey(), each.getValue());
        }
        return inputs;
    }

    @Override
    public List<ValueInfo> inputs() {
        return first.inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return second.outputs();
    }

    /** Options are both's but for those of outputs and the listener, which are the second one's. */
    @Override
    public Outputs run(Inputs request, RunOptions options) {
        try (Outputs middle = first.run(request, forFirst(options))) {
            return second.run(between.apply(middle), options);
        }
    }

    private static RunOptions forFirst(RunOptions options) {
        return new RunOptions(
                options.cancellation(),
                List.of(),
                null,
                options.deadline(),
                options.priority(),
                Map.of(),
                List.of(RunOptions.ALL),
                options.tag(),
                options.config());
    }

    @Override
    public Mono<Outputs> mono(Inputs request, RunOptions options) {
        return first.mono(request, forFirst(options)).flatMap(middle -> handedOn(middle, options));
    }

    private Mono<Outputs> handedOn(Outputs middle, RunOptions options) {
        return Mono.defer(() -> second.mono(between.apply(middle), options)).doFinally(end -> middle.close());
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
        return results(requests, options).map(RunResult::orThrow);
    }

    /**
     * A request that either of the two refuses comes back with its failure. The deadline of a request counts for each of
     * the two.
     */
    @Override
    public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
        Flux<RunResult> middles = first.results(
                requests,
                options.toBuilder().outputs().leaveOnDevice(RunOptions.ALL).build());
        int width = options.concurrency() == 0 ? second.concurrency() : options.concurrency();
        Flux<RunResult> results = options.ordered()
                ? middles.flatMapSequential(middle -> answered(middle, options), width, 1)
                : middles.flatMap(middle -> answered(middle, options), width, 1);
        return results.doOnDiscard(RunResult.class, RunResult::close);
    }

    @Override
    public int concurrency() {
        return first.concurrency();
    }

    private Mono<RunResult> answered(RunResult middle, FluxOptions options) {
        Outputs handed = middle.outputs();
        if (handed == null) {
            return Mono.just(middle);
        }
        return handedOn(handed, options.forRun())
                .map(outputs -> new RunResult(middle.request(), outputs, null))
                .onErrorResume(
                        EngineException.class, failure -> Mono.just(new RunResult(middle.request(), null, failure)));
    }
}
