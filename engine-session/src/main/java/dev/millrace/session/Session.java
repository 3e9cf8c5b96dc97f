package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.session.stream.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A model, ready to run. Any number of threads may run it at a time. All that goes wrong is an {@link EngineException}.
 *
 * <p>Closing refuses new runs, lets finish what was accepted, and waits for it, as every later call does. Called from
 * within a run, by a listener or on the thread that hands out an answer of a {@link #mono} or {@link #flux}, it does not
 * wait: the last run closes the session. A closed session holds no memory; outputs that are still open stay readable.
 */
public final class Session extends Streaming implements AutoCloseable {
    private static final RunOptions PLAIN = RunOptions.create();

    private final Engine engine;
    private final SessionOptions options;
    private final String name;
    private final InputCheck check;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;
    private final List<String> outputNames;
    private final ModelMetadata metadata;
    private final List<ExecutionProvider> providers;
    private final RunGate gate;
    private final LaterRuns later;
    private final Watch watch;
    private final Callbacks callbacks = new Callbacks();
    private final @Nullable RunListener listener;
    private final Trimming trimming;
    /** Held by a run where a provider wants one at a time. */
    private final @Nullable ReentrantLock turns;

    private volatile @Nullable PlanRunner runner;
    private volatile List<MappedFile> mapped;
    private volatile SessionReport report;

    Session(
            Engine engine,
            SessionOptions options,
            PlanRunner runner,
            List<MappedFile> mapped,
            Face face,
            List<ExecutionProvider> providers,
            SessionReport report,
            Runnable release) {
        this.engine = engine;
        this.options = options;
        this.runner = runner;
        this.mapped = mapped;
        this.name = options.name() == null ? runner.plan().name() : options.name();
        this.listener = safe(options.listener());
        this.trimming = new Trimming(engine.later(), this::trim);
        this.inputs = List.copyOf(face.inputs);
        this.outputs = List.copyOf(face.outputs);
        this.outputNames = face.outputs.stream().map(ValueInfo::name).toList();
        this.providers = List.copyOf(providers);
        this.report = report;
        this.check = new InputCheck(this.inputs, defaults(runner.plan()));
        boolean oneAtATime = providers.stream().anyMatch(provider -> !provider.isConcurrentRunSupported());
        this.turns = oneAtATime ? new ReentrantLock() : null;
        this.gate = new RunGate(() -> free(release));
        this.metadata = face.metadata;
        this.watch = new Watch(name, engine.requestListener());
        this.later = new LaterRuns(this, gate, watch, engine.runs(), options.admission());
    }

    /** What can be seen of the model. */
    record Face(List<ValueInfo> inputs, List<ValueInfo> outputs, ModelMetadata metadata) {}

    private void free(Runnable release) {
        PlanRunner last = runner();
        runner = null;
        mapped = List.of();
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

    /** What messages call the session: by its options, or as the model's graph is called. */
    public String name() {
        return name;
    }

    /** What the model says of itself. */
    public ModelMetadata metadata() {
        return metadata;
    }

    /** How many requests of {@code mono} and {@code flux} wait. */
    public int waiting() {
        return later.waiting();
    }

    /** Runs on this thread, with the help of idle workers, and returns all outputs. */
    @Override
    public Outputs run(Inputs given) {
        return run(given, PLAIN);
    }

    @Override
    public Outputs run(Inputs given, RunOptions how) {
        gate.enter();
        return runEntered(given, how);
    }

    /** Runs and leaves the gate. */
    private Outputs runEntered(Inputs given, RunOptions how) {
        try {
            Failures.given(given, "inputs");
            Watch.Request watched = watch.begin(given);
            return watched == null ? runInTime(given, how) : runWatched(watched, given, how);
        } catch (RuntimeException | Error e) {
            throw named(e);
        } finally {
            gate.leave();
        }
    }

    private Outputs runWatched(Watch.Request watched, Inputs given, RunOptions how) {
        watched.started();
        Outputs outputs;
        try {
            outputs = runInTime(given, how);
        } catch (RuntimeException | Error e) {
            EngineException failure = named(e);
            watched.ended(failure);
            throw failure;
        }
        watched.ended(null);
        return outputs;
    }

    private Outputs runInTime(Inputs given, RunOptions how) {
        Instant deadline = Failures.given(how, "options").deadline();
        return deadline == null ? runAccepted(given, how) : runUntil(deadline, given, how);
    }

    /** What a run ends with that threw. */
    EngineException named(Throwable thrown) {
        return Failures.named("run of '" + name + "'", thrown);
    }

    private Outputs runUntil(Instant deadline, Inputs given, RunOptions how) {
        var cancellation = new Cancellation(how.cancellation());
        Disposable timer = Deadline.at(deadline, cancellation::expire);
        try {
            return runAccepted(given, how.cancelledBy(cancellation));
        } finally {
            timer.dispose();
        }
    }

    @Override
    Disposable start(Inputs given, RunOptions how, Receiver<Outputs> to) {
        Disposable started = startIfOpen(given, how, to);
        if (started == null) {
            to.failed(closedException());
            return Disposables.disposed();
        }
        return started;
    }

    /** A run on a thread of the engine, which closing waits for from now on; null where the session is closed. */
    @Nullable
    Disposable startIfOpen(Inputs given, RunOptions how, Receiver<Outputs> to) {
        return gate.tryEnter() ? later.start(given, how, to) : null;
    }

    /** A run on this thread; null where the session is closed. */
    @Nullable
    Outputs runIfOpen(Inputs given, RunOptions how) {
        return gate.tryEnter() ? runEntered(given, how) : null;
    }

    /**
     * This session for sequences: {@code session.stateful(State.carry("stateN", "state"))}. What is made has to be closed,
     * and does not close the session.
     */
    public StatefulSession stateful(State... states) {
        return stateful(StateOptions.defaults(), states);
    }

    public StatefulSession stateful(StateOptions how, State... states) {
        return new StatefulSession(this, Failures.given(how, "options"), List.of(states), System::nanoTime);
    }

    /** This session where requests of many become one run. */
    public BatchedSession batched(BatchOptions how) {
        return new BatchedSession(this, Failures.given(how, "options"));
    }

    @Override
    public int concurrency() {
        return options.concurrency();
    }

    /** What can be said of a request before it runs. */
    void check(Inputs given, RunOptions how) {
        check.check(given);
        for (String output : how.outputs()) {
            if (!outputNames.contains(output)) {
                throw EngineException.invalidArgument("Invalid output name: " + output + "; there are " + outputNames);
            }
        }
        if (!how.into().isEmpty()) {
            GivenOutputs.check(how, outputs);
        }
    }

    Outputs runAccepted(Inputs given, RunOptions how) {
        check(given, how);
        if (turns != null) {
            turns.lock();
        }
        try {
            Outputs all = new Outputs(outputNames, execute(given, how));
            if (!how.into().isEmpty()) {
                all = GivenOutputs.fill(all, how.into());
            }
            return how.outputs().isEmpty() ? all : all.only(how.outputs());
        } finally {
            if (turns != null) {
                turns.unlock();
            }
            trimming.ran();
        }
    }

    private Datum[] execute(Inputs given, RunOptions how) {
        List<MappedFile> files = mapped;
        MappedFile.check(files);
        RunHooks.start(providers);
        Datum[] results;
        try {
            results = runner().run(given, how.cancellation(), listener(how));
            MappedFile.check(files);
        } catch (RuntimeException | Error e) {
            RunHooks.endAfter(e, providers);
            // what went wrong may have come of what was missing
            MappedFile.check(files);
            throw e;
        }
        RunHooks.end(providers);
        return results;
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
        gate.close(mayWait());
    }

    /**
     * Closes as {@link #close()} does, and waits for so long at most. Then what waits fails with CLOSED, and the runs of
     * {@code mono} and {@code flux} that are under way are stopped; the last run closes the session.
     *
     * @return whether all that was accepted has ended in time
     */
    public boolean close(Duration limit) {
        gate.close(false);
        boolean ended = gate.await(mayWait() ? Failures.given(limit, "limit") : Duration.ZERO);
        if (!ended) {
            later.giveUp();
        }
        return ended;
    }

    private boolean mayWait() {
        return !callbacks.isInside() && !later.isOwnThread();
    }

    static EngineException closedException() {
        return new EngineException(Status.CLOSED, "this session is closed");
    }
}
