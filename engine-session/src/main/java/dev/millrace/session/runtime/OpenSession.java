package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.run.StretchSummary;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.BatchedSession;
import dev.millrace.session.Health;
import dev.millrace.session.Inputs;
import dev.millrace.session.ModelMetadata;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLabel;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.batch.MemberRuns;
import dev.millrace.session.batch.OpenBatchedSession;
import dev.millrace.session.request.CacheRoom;
import dev.millrace.session.request.GivenOutputs;
import dev.millrace.session.request.ModelFace;
import dev.millrace.session.request.RequestCheck;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.state.OpenStatefulSession;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Callbacks;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import dev.millrace.session.util.LastFailure;
import dev.millrace.session.util.Locks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** An engine's session: its own gates, queues and listeners over a model that other sessions may share. */
public final class OpenSession extends Streaming implements MemberRuns {
    private static final RunOptions PLAIN = RunOptions.defaults();

    private final OpenEngine engine;
    private final SessionOptions options;
    private final SessionNames.Given called;
    private final String name;
    private final RequestCheck check;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;
    private final List<String> outputNames;
    private final ModelMetadata metadata;
    private final CacheRoom cacheRoom;
    private final RunGate gate;
    private final QueuedRuns later;
    private final Watch watch;
    private final Callbacks callbacks = new Callbacks();
    private final @Nullable RunListener listener;
    private final Trimming trimming;
    private final SessionLabel label;
    private final LastFailure lastFailure = new LastFailure();

    private volatile @Nullable OpenModel model;
    private volatile SessionReport report;

    /**
     * @param model the model, which has counted this session already
     * @param file the file of the model; null where it has none
     */
    OpenSession(OpenEngine engine, SessionOptions options, OpenModel model, SessionReport report, @Nullable Path file) {
        Plan plan = model.runner().plan();
        ModelFace face = model.face();
        this.engine = engine;
        this.options = options;
        this.model = model;
        this.called = engine.sessions().names().give(options.name(), file, plan.name());
        this.name = called.text();
        this.listener = safe(options.listener());
        this.trimming = new Trimming(engine.later(), this::giveUpUnused);
        this.inputs = List.copyOf(face.inputs());
        this.outputs = List.copyOf(face.outputs());
        this.outputNames = face.outputs().stream().map(ValueInfo::name).toList();
        this.report = report;
        this.check = RequestCheck.of(face, plan);
        this.gate = new RunGate(this::free);
        this.metadata = face.metadata();
        this.cacheRoom = face.room();
        this.label = SessionLabel.of(name, options, metadata, model.report());
        this.watch = new Watch(label, engine.requestListener());
        this.later = new QueuedRuns(this, gate, watch, engine, options.admission());
        engine.sessions().add(this);
    }

    /**
     * Returns a session that an engine made as its implementation. A wrapper of a session cannot take over
     * the requests that it has accepted.
     */
    public static OpenSession of(Session session) {
        if (Failures.given(session, "session") instanceof OpenSession open) {
            return open;
        }
        throw EngineException.invalidArgument("a session that an engine made is needed here; this one is of "
                + session.getClass().getName());
    }

    private void free() {
        engine.sessions().remove(this);
        engine.sessions().names().remove(called);
        OpenModel last = model();
        model = null;
        trimming.end();
        last.leave();
    }

    @Override
    public void trim() {
        model();
        // the second call finds that nothing was asked for since the first
        giveUpUnused();
        giveUpUnused();
    }

    private void giveUpUnused() {
        OpenModel open = model;
        if (open != null) {
            open.runner().trim();
        }
    }

    @Override
    public List<ValueInfo> inputs() {
        return inputs;
    }

    @Override
    public List<ValueInfo> outputs() {
        return outputs;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SessionLabel label() {
        return label;
    }

    @Override
    public Health health() {
        var looked = new SessionHealth(name);
        OpenModel open = model;
        if (open == null || gate.isClosed()) {
            return looked.closed().health();
        }
        return looked.of(open)
                .waiting(later.waiting(), later.limit())
                .last(lastFailure.get())
                .health();
    }

    @Override
    public void batchEnded(int size, long copiedNanos, long ranNanos) {
        watch.batchEnded(size, copiedNanos, ranNanos);
    }

    @Override
    public ModelMetadata metadata() {
        return metadata;
    }

    @Override
    public CacheRoom cacheRoom() {
        return cacheRoom;
    }

    @Override
    public int waiting() {
        return later.waiting();
    }

    /** Runs on the calling thread, with the help of idle workers, and returns all outputs. */
    @Override
    public Outputs run(Inputs request) {
        return run(request, PLAIN);
    }

    @Override
    public Outputs run(Inputs request, RunOptions options) {
        gate.enter();
        return runEntered(request, options);
    }

    /** Runs a request that has entered the gate, and leaves the gate. */
    private Outputs runEntered(Inputs request, RunOptions options) {
        try {
            Failures.given(request, "inputs");
            Watch.Request watched = watch.begin(request);
            return watched == null ? runInTime(request, options) : runWatched(watched, request, options);
        } catch (RuntimeException | Error e) {
            throw named(e);
        } finally {
            gate.leave();
        }
    }

    private Outputs runWatched(Watch.Request watched, Inputs request, RunOptions options) {
        watched.started();
        Outputs outputs;
        try {
            outputs = runInTime(request, watched.heard(Failures.given(options, "options")));
        } catch (RuntimeException | Error e) {
            EngineException failure = named(e);
            watched.ended(failure);
            throw failure;
        }
        watched.ended(null);
        return outputs;
    }

    private Outputs runInTime(Inputs request, RunOptions options) {
        Instant deadline = Failures.given(options, "options").deadline();
        return deadline == null ? runAccepted(request, options) : runUntil(Deadline.ahead(deadline), request, options);
    }

    @Override
    public EngineException named(Throwable thrown) {
        return Failures.named("run of '" + name + "'", thrown);
    }

    private Outputs runUntil(Instant deadline, Inputs request, RunOptions options) {
        var cancellation = new Cancellation(options.cancellation());
        Disposable timer = Deadline.at(deadline, cancellation::expire);
        try {
            return runAccepted(request, QueuedRun.cancelledBy(cancellation, options));
        } finally {
            timer.dispose();
        }
    }

    @Override
    public Disposable start(Inputs request, RunOptions options, Receiver<Outputs> to) {
        Disposable started = startIfOpen(request, options, to);
        if (started == null) {
            to.failed(Failures.sessionClosed());
            return Disposables.disposed();
        }
        return started;
    }

    /**
     * Starts a run on a thread of the engine, which closing waits for from now on; returns null
     * if the session is closed.
     */
    @Nullable
    Disposable startIfOpen(Inputs request, RunOptions options, Receiver<Outputs> to) {
        return gate.tryEnter() ? later.start(request, options, to) : null;
    }

    /** Runs a request on the calling thread; returns null if the session is closed. */
    @Nullable
    Outputs runIfOpen(Inputs request, RunOptions options) {
        return gate.tryEnter() ? runEntered(request, options) : null;
    }

    @Override
    public @Nullable Outputs runCheckedIfOpen(Inputs request, RunOptions options) {
        if (!gate.tryEnter()) {
            return null;
        }
        try {
            Watch.Request watched = watch.begin(request);
            return watched == null ? runChecked(request, options) : runWatched(watched, request, options);
        } finally {
            gate.leave();
        }
    }

    @Override
    public StatefulSession stateful(StateOptions options, State... states) {
        return new OpenStatefulSession(
                this, this, Failures.given(options, "options"), Failures.each(states, "states"), System::nanoTime);
    }

    @Override
    public BatchedSession batched(BatchOptions options) {
        return new OpenBatchedSession(this, Failures.given(options, "options"));
    }

    @Override
    public int concurrency() {
        return options.concurrency();
    }

    @Override
    public void checkForLater(Inputs request, RunOptions options) {
        check.check(request, options);
        check.checkForOtherThreads(request);
    }

    Outputs runAccepted(Inputs request, RunOptions options) {
        check.check(request, options);
        return runChecked(request, options);
    }

    private Outputs runChecked(Inputs request, RunOptions options) {
        OpenModel open = model();
        try {
            Outputs all = new Outputs(outputNames, inTurn(open, request, options));
            if (!options.into().isEmpty()) {
                all = GivenOutputs.fill(all, options.into());
            }
            lastFailure.answered();
            return options.outputs().isEmpty() ? all : all.only(options.outputs());
        } catch (RuntimeException | Error e) {
            EngineException failure = named(e);
            lastFailure.failed(failure);
            throw failure;
        } finally {
            trimming.ran();
        }
    }

    /** Executes a run, in its turn where a provider takes one run at a time. */
    private Datum[] inTurn(OpenModel open, Inputs request, RunOptions options) {
        ReentrantLock turns = open.turns();
        if (turns == null) {
            return execute(open, request, options);
        }
        Locks.lock(turns, options.cancellation()::check);
        try {
            return execute(open, request, options);
        } finally {
            turns.unlock();
        }
    }

    private Datum[] execute(OpenModel open, Inputs request, RunOptions options) {
        List<MappedFile> files = open.mapped();
        MappedFile.check(files);
        List<ExecutionProvider> providers = open.providers();
        RunHooks.start(providers);
        Datum[] results;
        try {
            results = open.runner().run(request, options.cancellation(), listener(options));
            MappedFile.check(files);
        } catch (RuntimeException | Error e) {
            RunHooks.endAfter(e, providers);
            // the failure may come from a file that was cut short
            MappedFile.check(files);
            throw e;
        }
        RunHooks.end(providers);
        return results;
    }

    private @Nullable RunListener listener(RunOptions options) {
        return RunListener.both(listener, safe(options.listener()));
    }

    private @Nullable RunListener safe(@Nullable RunListener heard) {
        return heard == null ? null : new SafeListener(heard, callbacks);
    }

    /** Returns the model; throws if the session is closed. */
    public OpenModel model() {
        OpenModel open = model;
        if (open == null) {
            throw Failures.sessionClosed();
        }
        return open;
    }

    @Override
    public void warmUp(Map<String, Shape> shapes) {
        Inputs zeros = WarmUp.inputs(inputs, Failures.all(shapes, "shapes"));
        for (int i = 0; i < WarmUp.RUNS; i++) {
            run(zeros).close();
        }
    }

    @Override
    public SessionReport report() {
        return report;
    }

    /** Records a context cache's part in the session in the report, before anybody has it. */
    void noteCache(SessionReport.CacheUse use, List<String> notes) {
        report = SessionReports.cached(report, use, notes);
    }

    @Override
    public List<StretchSummary> stretches() {
        return model().runner().stretches();
    }

    @Override
    public void close() {
        gate.close(mayWait());
    }

    @Override
    public boolean close(Duration limit) {
        gate.close(false);
        boolean ended = gate.await(mayWait() ? Failures.given(limit, "limit") : Duration.ZERO);
        if (!ended) {
            later.giveUp();
        }
        return ended;
    }

    @Override
    public boolean isOwnThread() {
        return later.isOwnThread();
    }

    @Override
    public boolean isAtRest() {
        return later.isAtRest();
    }

    private boolean mayWait() {
        return !callbacks.isInside() && !later.isOwnThread();
    }

    @Override
    public String toString() {
        String state = gate.isClosed() ? "closed" : "open, " + later.waiting() + " requests wait";
        return "Session '" + PlainText.line(name) + "' of " + label.providers() + " (" + state + ")";
    }
}
