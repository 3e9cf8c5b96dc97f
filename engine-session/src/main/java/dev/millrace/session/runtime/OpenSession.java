package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.device.Device;
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
import dev.millrace.session.request.HeardGeneration;
import dev.millrace.session.request.ModelFace;
import dev.millrace.session.request.RequestCheck;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.state.OpenStatefulSession;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Callbacks;
import dev.millrace.session.util.Failures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** An engine's session: its own gates, queues and listeners over a model that other sessions may share. */
public final class OpenSession extends Streaming implements MemberRuns {
    private static final RunOptions PLAIN = RunOptions.defaults();

    private final EngineResources engine;
    private final SessionOptions options;
    private final SessionNames.Name called;
    private final String name;
    private final List<ValueInfo> inputs;
    private final List<ValueInfo> outputs;
    private final ModelMetadata metadata;
    private final CacheRoom cacheRoom;
    private final RunGate gate;
    private final SessionRuns runs;
    private final QueuedRuns later;
    private final Watch watch;
    private final Callbacks callbacks = new Callbacks();
    private final Trimming trimming;
    private final SessionLabel label;

    private volatile @Nullable OpenModel model;
    private volatile SessionReport report;

    /**
     * @param model the model, which has counted this session already
     * @param file the file of the model; null where it has none
     */
    OpenSession(
            EngineResources engine,
            SessionOptions options,
            OpenModel model,
            SessionReport report,
            @Nullable Path file) {
        Plan plan = model.runner().plan();
        ModelFace face = model.face();
        this.engine = engine;
        this.options = options;
        this.model = model;
        this.called = engine.sessions().names().give(options.name(), file, plan.name());
        this.name = called.text();
        this.trimming = new Trimming(engine.later(), this::giveUpUnused);
        this.inputs = List.copyOf(face.inputs());
        this.outputs = List.copyOf(face.outputs());
        this.report = report;
        this.gate = new RunGate(this::free);
        this.metadata = face.metadata();
        this.cacheRoom = face.room();
        this.label = SessionLabel.of(name, options, metadata, model.report());
        this.watch = new Watch(label, engine.requestListener());
        this.runs = new SessionRuns(
                name,
                face.outputs().stream().map(ValueInfo::name).toList(),
                RequestCheck.of(face, plan),
                watch,
                callbacks,
                options.listener(),
                this::model,
                trimming::ran);
        this.later = new QueuedRuns(runs, gate, watch, engine.pool(), engine.runs(), options.admission());
        engine.sessions().add(this);
    }

    /**
     * Returns a session that an engine made as its implementation. A wrapper of a session cannot take over
     * the requests that it has accepted.
     */
    public static OpenSession of(Session session) {
        if (Failures.requireArgument(session, "session") instanceof OpenSession open) {
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
                .last(runs.lastFailure().get())
                .health();
    }

    @Override
    public void began(RunOptions options) {
        watch.began(options);
    }

    @Override
    public void joined(RunOptions options, int size) {
        watch.joined(options, size);
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
    public @Nullable HeardGeneration beginGeneration() {
        return watch.beginGeneration();
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
            return runs.run(request, options);
        } finally {
            gate.leave();
        }
    }

    @Override
    public EngineException named(Throwable thrown) {
        return runs.named(thrown);
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
            return runs.runChecked(request, options);
        } finally {
            gate.leave();
        }
    }

    @Override
    public StatefulSession stateful(StateOptions options, State... states) {
        return new OpenStatefulSession(
                this,
                this,
                Failures.requireArgument(options, "options"),
                Failures.each(states, "states"),
                System::nanoTime);
    }

    @Override
    public BatchedSession batched(BatchOptions options) {
        return new OpenBatchedSession(this, Failures.requireArgument(options, "options"));
    }

    @Override
    public int concurrency() {
        return options.concurrency();
    }

    @Override
    public void checkForLater(Inputs request, RunOptions options) {
        runs.checkForLater(request, options);
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
    public void setDynamicOptions(String provider, Map<String, String> values) {
        Failures.requireArgument(provider, "provider");
        Map<String, String> checked = Failures.all(values, "options");
        ExecutionProvider asked = model().providers().stream()
                .filter(each -> each.name().equals(provider))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument(
                        "session '" + name + "' has no provider '" + provider + "'; it has " + label.providers()));
        ProviderGuard.run(provider, () -> asked.setDynamicOptions(checked));
    }

    @Override
    public List<Device> devices() {
        return model().runner().plan().devices();
    }

    @Override
    public void close() {
        gate.close(mayWait());
    }

    /** Refuses new runs, and lets the last accepted one close the session. */
    void closeSoon() {
        gate.close(false);
    }

    @Override
    public boolean close(Duration limit) {
        gate.close(false);
        boolean ended = gate.await(mayWait() ? Failures.requireArgument(limit, "limit") : Duration.ZERO);
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
