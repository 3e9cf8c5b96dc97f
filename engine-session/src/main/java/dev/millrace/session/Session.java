package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.session.stream.Reactive;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A model, ready to run. Any number of threads may run it at a time. All that goes wrong is an {@link EngineException}.
 *
 * <p>Closing refuses new runs, lets finish what was accepted, and waits for it, as every later call does. Called from
 * within a run, by a listener or on the thread that hands out an answer of a {@link #mono} or {@link #flux}, it does not
 * wait: the last run closes the session. A closed session holds no memory; outputs that are still open stay readable.
 */
public final class Session implements AutoCloseable {
    private final Engine engine;
    private final SessionOptions options;
    private final String name;
    private final InputCheck check;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;
    private final List<String> outputNames;
    private final List<ExecutionProvider> providers;
    private final RunGate gate;
    private final Callbacks callbacks = new Callbacks();
    private final @Nullable RunListener listener;
    private final Trimming trimming;
    /** Held by a run where a provider wants one at a time. */
    private final @Nullable ReentrantLock turns;

    private volatile @Nullable PlanRunner runner;
    private volatile SessionReport report;

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
        this.name = runner.plan().name();
        this.listener = safe(options.listener());
        this.trimming = new Trimming(engine.later(), this::trim);
        this.inputs = List.copyOf(inputs);
        this.outputs = List.copyOf(outputs);
        this.outputNames = outputs.stream().map(ValueInfo::name).toList();
        this.providers = List.copyOf(providers);
        this.report = report;
        this.check = new InputCheck(this.inputs, defaults(runner.plan()));
        boolean oneAtATime = providers.stream().anyMatch(provider -> !provider.isConcurrentRunSupported());
        this.turns = oneAtATime ? new ReentrantLock() : null;
        this.gate = new RunGate(() -> free(release));
    }

    private void free(Runnable release) {
        PlanRunner last = runner();
        runner = null;
        trimming.end();
        last.giveUp();
        try {
            providers.forEach(ExecutionProvider::close);
        } finally {
            release.run();
        }
    }

    private void trim() {
        PlanRunner open = runner;
        if (open != null) {
            open.trim();
        }
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
        gate.enter();
        try {
            return runAccepted(Failures.given(given, "inputs"), Failures.given(how, "options"));
        } catch (RuntimeException | Error e) {
            throw Failures.named("run of '" + name + "'", e);
        } finally {
            gate.leave();
        }
    }

    /** A run on a thread of the engine, which closing waits for from now on. The answer or the failure goes to {@code to}. */
    void runLater(Inputs given, Cancellation cancellation, Receiver<Outputs> to) {
        try {
            gate.enter();
        } catch (EngineException closed) {
            to.failed(closed);
            return;
        }
        try {
            engine.runs().execute(() -> runLast(given, cancellation, to));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            gate.leave();
            to.failed(
                    e instanceof OutOfMemoryError
                            ? Failures.named("a thread for a run of '" + name + "'", e)
                            : Engine.closedException());
        }
    }

    private void runLast(Inputs given, Cancellation cancellation, Receiver<Outputs> to) {
        Outputs outputs;
        try {
            cancellation.check();
            outputs = runAccepted(given, RunOptions.create().cancelledBy(cancellation));
        } catch (RuntimeException | Error e) {
            gate.leave();
            to.failed(Failures.named("run of '" + name + "'", e));
            return;
        }
        gate.leave();
        to.answered(outputs);
    }

    private Outputs runAccepted(Inputs given, RunOptions how) {
        check.check(given);
        for (String output : how.outputs()) {
            if (!outputNames.contains(output)) {
                throw EngineException.invalidArgument("Invalid output name: " + output + "; there are " + outputNames);
            }
        }
        if (turns != null) {
            turns.lock();
        }
        try {
            Outputs all = new Outputs(outputNames, execute(given, how));
            return how.outputs().isEmpty() ? all : all.only(how.outputs());
        } finally {
            if (turns != null) {
                turns.unlock();
            }
            trimming.ran();
        }
    }

    private Datum[] execute(Inputs given, RunOptions how) {
        for (ExecutionProvider provider : providers) {
            provider.onRunStart();
        }
        try {
            return runner().run(given, how.cancellation(), listener(how));
        } finally {
            for (ExecutionProvider provider : providers) {
                provider.onRunEnd();
            }
        }
    }

    private @Nullable RunListener listener(RunOptions how) {
        return RunListener.both(RunListener.both(listener, safe(how.listener())), engine.flightRecorder());
    }

    private @Nullable RunListener safe(@Nullable RunListener heard) {
        return heard == null ? null : new SafeListener(heard, callbacks);
    }

    private PlanRunner runner() {
        PlanRunner open = runner;
        if (open == null) {
            throw closedException();
        }
        return open;
    }

    /**
     * Runs on zeros of these shapes, so that later requests of the same shapes find everything prepared: memory, programs,
     * packed weights. Inputs whose shape the model fixes need none.
     *
     * @param shapes by the names of inputs
     */
    public void warmUp(Map<String, Shape> shapes) {
        Inputs zeros = WarmUp.inputs(inputs, Map.copyOf(Failures.given(shapes, "shapes")));
        for (int i = 0; i < WarmUp.RUNS; i++) {
            run(zeros).close();
        }
    }

    /** A run that starts when it is subscribed to, and stops when that subscription is cancelled. */
    public Mono<Outputs> mono(Inputs given) {
        return Reactive.mono(this::runLater, Failures.given(given, "inputs"), Outputs::close);
    }

    /**
     * A run for each of {@code requests}, answers in their order. A request is asked for only where an answer is wanted, at
     * most {@link SessionOptions#concurrency} ahead; cancelling stops the runs under way. Whoever gets an answer closes it.
     */
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests) {
        return Deliveries.flux(this::runLater, Failures.given(requests, "requests"), options.concurrency());
    }

    /**
     * As {@link #flux}, but a request that is refused ends nothing: each comes back with its answer or with its failure.
     * What the publisher of the requests fails with is still the end.
     */
    public Flux<RunResult> results(Publisher<? extends Inputs> requests) {
        return Deliveries.results(this::runLater, Failures.given(requests, "requests"), options.concurrency());
    }

    /** How the session came to be: its partitions, its optimisations, the time that each phase took. */
    public SessionReport report() {
        return report;
    }

    /** Adds to the report what a cache did for the session, before anybody has it. */
    void noteCache(SessionReport.CacheUse use, List<String> notes) {
        report = report.with(use, notes);
    }

    /** The plan that runs. A closed session has none. */
    public Plan plan() {
        return runner().plan();
    }

    /** The memory plans of the shapes that were run lately. A closed session has none. */
    public List<dev.millrace.scheduler.run.StretchSummary> stretches() {
        return runner().stretches();
    }

    @Override
    public void close() {
        gate.close(!callbacks.isInside() && !engine.runs().isOwnThread());
    }

    static EngineException closedException() {
        return new EngineException(Status.INVALID_ARGUMENT, "this session is closed");
    }
}
