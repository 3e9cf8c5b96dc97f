package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A model, ready to run. Any number of threads may run it at a time. Closing refuses new runs and waits for those under
 * way; closing twice does no harm.
 */
public final class Session implements AutoCloseable {
    private final Engine engine;
    private final SessionOptions options;
    private final PlanRunner runner;
    private final InputCheck check;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;
    private final List<String> outputNames;
    private final List<ExecutionProvider> providers;
    private final SessionReport report;
    private final RunGate gate;

    Session(
            Engine engine,
            SessionOptions options,
            PlanRunner runner,
            List<ValueInfo> inputs,
            List<ValueInfo> outputs,
            List<ExecutionProvider> providers,
            SessionReport report,
            Runnable release) {
        this.engine = engine;
        this.options = options;
        this.runner = runner;
        this.inputs = List.copyOf(inputs);
        this.outputs = List.copyOf(outputs);
        this.outputNames = outputs.stream().map(ValueInfo::name).toList();
        this.providers = List.copyOf(providers);
        this.report = report;
        this.check = new InputCheck(this.inputs, defaults(runner.plan()));
        boolean oneAtATime = providers.stream().anyMatch(provider -> !provider.isConcurrentRunSupported());
        this.gate = new RunGate(oneAtATime, () -> {
            providers.forEach(ExecutionProvider::close);
            release.run();
        });
    }

    private static List<@Nullable Tensor> defaults(Plan plan) {
        var defaults = new ArrayList<@Nullable Tensor>();
        plan.inputs().forEach(slot -> defaults.add(plan.defaults().get(slot)));
        return defaults;
    }

    /** The inputs in the model's order. */
    public List<ValueInfo> inputs() {
        return inputs;
    }

    /** The outputs in the model's order. */
    public List<ValueInfo> outputs() {
        return outputs;
    }

    /** Runs on this thread, with the help of idle workers, and returns all outputs. */
    public Outputs run(Inputs given) {
        return run(given, RunOptions.create());
    }

    public Outputs run(Inputs given, RunOptions how) {
        check.check(given);
        for (String name : how.outputs()) {
            if (!outputNames.contains(name)) {
                throw EngineException.invalidArgument("Invalid output name: " + name + "; there are " + outputNames);
            }
        }
        gate.enter();
        try {
            Outputs all = new Outputs(outputNames, execute(given, how));
            return how.outputs().isEmpty() ? all : all.only(how.outputs());
        } finally {
            gate.leave();
        }
    }

    private Datum[] execute(Inputs given, RunOptions how) {
        for (ExecutionProvider provider : providers) {
            provider.onRunStart();
        }
        try {
            return runner.run(given, how.cancellation(), listener(how));
        } finally {
            for (ExecutionProvider provider : providers) {
                provider.onRunEnd();
            }
        }
    }

    private @Nullable RunListener listener(RunOptions how) {
        return RunListener.both(RunListener.both(options.listener(), how.listener()), engine.flightRecorder());
    }

    /** A run that starts when it is subscribed to, and stops when that subscription is cancelled. */
    public Mono<Outputs> mono(Inputs given) {
        return Reactive.mono(this, given);
    }

    /**
     * A run for each of {@code requests}, answers in their order. A request is asked for only where an answer is wanted, at
     * most {@link SessionOptions#concurrency} ahead; cancelling stops the runs under way. Whoever gets an answer closes it.
     */
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests) {
        return Reactive.flux(this, requests, options.concurrency());
    }

    Outputs run(Inputs given, Cancellation cancellation) {
        return run(given, RunOptions.create().cancelledBy(cancellation));
    }

    Engine engine() {
        return engine;
    }

    /** How the session came to be: its partitions, its optimisations, the time that each phase took. */
    public SessionReport report() {
        return report;
    }

    /** The plan that runs. */
    public Plan plan() {
        return runner.plan();
    }

    /** The memory plans of the shapes that were run lately. */
    public List<dev.millrace.scheduler.run.StretchSummary> stretches() {
        return runner.stretches();
    }

    @Override
    public void close() {
        gate.close();
    }

    static EngineException closedException() {
        return new EngineException(Status.INVALID_ARGUMENT, "this session is closed");
    }
}
