package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.run.InputSource;
import dev.millrace.scheduler.run.RunEnd;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.request.CallerOutputs;
import dev.millrace.session.request.RequestCheck;
import dev.millrace.session.stream.FifoLock;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Callbacks;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import dev.millrace.session.util.LastFailure;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The steps of a session's run, each on the thread that calls: the run is watched, gets its deadline, is checked, waits
 * for its turn, and is executed. The caller has entered the session's gate.
 */
final class SessionRuns {
    private final String name;
    private final List<String> outputNames;
    private final RequestCheck check;
    private final Watch watch;
    private final Callbacks callbacks;
    private final @Nullable RunListener listener;
    private final Supplier<OpenModel> model;
    private final Runnable afterEach;
    private final LastFailure lastFailure = new LastFailure();

    /**
     * @param listener the listener of all of the session's runs, or null
     * @param model the session's model; throws where the session is closed
     * @param afterEach called after each run
     */
    SessionRuns(
            String name,
            List<String> outputNames,
            RequestCheck check,
            Watch watch,
            Callbacks callbacks,
            @Nullable RunListener listener,
            Supplier<OpenModel> model,
            Runnable afterEach) {
        this.name = name;
        this.outputNames = outputNames;
        this.check = check;
        this.watch = watch;
        this.callbacks = callbacks;
        this.listener = safe(listener);
        this.model = model;
        this.afterEach = afterEach;
    }

    /** Runs a request, from the first step on. */
    Outputs run(Inputs request, RunOptions options) {
        try {
            Failures.requireArgument(request, "inputs");
            Watch.Request watched = watch.begin(request);
            return watched == null ? limited(request, options) : observed(watched, request, options);
        } catch (RuntimeException | Error e) {
            throw named(e);
        }
    }

    /** Runs a request that {@link #checkForLater} has accepted, and watches it. */
    Outputs runChecked(Inputs request, RunOptions options) {
        Watch.Request watched = watch.begin(request);
        return watched == null ? executed(request, options) : observed(watched, request, options);
    }

    /** Checks and executes a request that somebody else watches, and stops at its deadline. */
    Outputs runUnwatched(Inputs request, RunOptions options) {
        check.check(request, options);
        return executed(request, options);
    }

    /** Whether devices do the work of a run, which then holds no thread. */
    boolean goesOnWithoutThread() {
        return model.get().runner().goesOnWithoutThread();
    }

    /** Checks and starts a request that somebody else watches, in its turn, and tells of its end. */
    void startUnwatched(Inputs request, RunOptions options, Receiver<Outputs> to) {
        check.check(request, options);
        OpenModel open = model.get();
        RunTurns turns = open.turns();
        if (turns == null) {
            start(open, request, options, to, Runnable::run);
            return;
        }
        var place = new AtomicReference<FifoLock.@Nullable Place>();
        Runnable left = options.cancellation().whenCancelled(() -> {
            FifoLock.Place waiting = place.get();
            if (waiting != null && waiting.leave()) {
                refused(options, to);
            }
        });
        place.set(turns.later(turn -> {
            left.run();
            start(open, request, options, to, turn::end);
            return Disposables.disposed();
        }));
        if (options.cancellation().isCancelled()
                && Objects.requireNonNull(place.get()).leave()) {
            refused(options, to);
        }
    }

    /** Answers a request that was cancelled before its turn. */
    private void refused(RunOptions options, Receiver<Outputs> to) {
        afterEach.run();
        to.failed(failed(options.cancellation().failure()));
    }

    /** @param atEnd ends the turn of the run, and then does what it is given */
    private void start(
            OpenModel open, Inputs request, RunOptions options, Receiver<Outputs> to, Consumer<Runnable> atEnd) {
        RunListener heard = listener(options);
        RunHooks.Run hooks = open.hooks().around(name, options, heard);
        var end = new RunEnd() {
            @Override
            public void succeeded(Datum[] results) {
                Outputs outputs;
                try {
                    MappedFile.check(open.mapped());
                    hooks.end();
                    outputs = SessionRuns.this.outputs(results, options);
                } catch (RuntimeException | Error e) {
                    ended(e);
                    return;
                }
                atEnd.accept(() -> {
                    afterEach.run();
                    to.answered(outputs);
                });
            }

            @Override
            public void failed(Throwable failure) {
                hooks.endAfter(failure);
                ended(failure);
            }

            private void ended(Throwable failure) {
                atEnd.accept(() -> {
                    afterEach.run();
                    to.failed(SessionRuns.this.failed(failure));
                });
            }
        };
        try {
            MappedFile.check(open.mapped());
            hooks.start();
        } catch (RuntimeException | Error e) {
            end.ended(e);
            return;
        }
        open.runner().start(source(request, options), options.cancellation(), heard, end);
    }

    /** Throws where a request cannot run, or cannot run on other threads than its caller's. */
    void checkForLater(Inputs request, RunOptions options) {
        check.check(request, options);
        check.checkForOtherThreads(request);
    }

    private Outputs observed(Watch.Request watched, Inputs request, RunOptions options) {
        watched.started(options);
        Outputs outputs;
        try {
            outputs = limited(request, watched.heard(Failures.requireArgument(options, "options")));
        } catch (RuntimeException | Error e) {
            EngineException failure = named(e);
            watched.ended(failure);
            throw failure;
        }
        watched.ended(null);
        return outputs;
    }

    private Outputs limited(Inputs request, RunOptions options) {
        Instant deadline = Failures.requireArgument(options, "options").deadline();
        if (deadline == null) {
            return runUnwatched(request, options);
        }
        Instant end = Deadline.ahead(deadline);
        var cancellation = new Cancellation(options.cancellation());
        Disposable timer = Deadline.at(end, cancellation::expire);
        try {
            return runUnwatched(request, cancelledBy(cancellation, options));
        } finally {
            timer.dispose();
        }
    }

    private Outputs executed(Inputs request, RunOptions options) {
        OpenModel open = model.get();
        try {
            return outputs(inTurn(open, request, options), options);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        } finally {
            afterEach.run();
        }
    }

    /** The outputs that a request asked for. */
    private Outputs outputs(Datum[] results, RunOptions options) {
        Outputs all = new Outputs(outputNames, results);
        if (!options.into().isEmpty()) {
            all = CallerOutputs.fill(all, options.into());
        }
        lastFailure.answered();
        return options.outputs().isEmpty() ? all : all.only(options.outputs());
    }

    private EngineException failed(Throwable thrown) {
        EngineException failure = named(thrown);
        lastFailure.failed(failure);
        return failure;
    }

    /** Executes a run, in its turn where a provider takes one run at a time. */
    private Datum[] inTurn(OpenModel open, Inputs request, RunOptions options) {
        RunTurns turns = open.turns();
        return turns == null
                ? execute(open, request, options)
                : turns.take(options.cancellation()::check, () -> execute(open, request, options));
    }

    private Datum[] execute(OpenModel open, Inputs request, RunOptions options) {
        List<MappedFile> files = open.mapped();
        MappedFile.check(files);
        RunListener heard = listener(options);
        RunHooks.Run hooks = open.hooks().around(name, options, heard);
        hooks.start();
        Datum[] results;
        try {
            results = open.runner().run(source(request, options), options.cancellation(), heard);
            MappedFile.check(files);
        } catch (RuntimeException | Error e) {
            hooks.endAfter(e);
            // the failure may come from a file that was cut short
            MappedFile.check(files);
            throw e;
        }
        hooks.end();
        return results;
    }

    private static InputSource source(Inputs request, RunOptions options) {
        return options.onDevice().isEmpty() ? request : new StayingOutputs(request, options);
    }

    private @Nullable RunListener listener(RunOptions options) {
        return RunListener.both(listener, safe(options.listener()));
    }

    private @Nullable RunListener safe(@Nullable RunListener heard) {
        return heard == null ? null : new SafeListener(heard, callbacks);
    }

    /** Returns the options with another cancellation. */
    static RunOptions cancelledBy(Cancellation cancellation, RunOptions options) {
        return new RunOptions(
                cancellation,
                options.outputs(),
                options.listener(),
                options.deadline(),
                options.priority(),
                options.into(),
                options.onDevice(),
                options.tag(),
                options.config());
    }

    EngineException named(Throwable thrown) {
        return Failures.named("run of '" + name + "'", thrown);
    }

    LastFailure lastFailure() {
        return lastFailure;
    }
}
