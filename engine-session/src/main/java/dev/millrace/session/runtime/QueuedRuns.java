package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.session.Admission;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.stream.Job;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.RunQueue;
import dev.millrace.session.stream.RunThreads;
import dev.millrace.session.util.Failures;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** The runs of a session that happen on the engine's threads: checked, queued, answered. */
public final class QueuedRuns {
    private final SessionRuns runs;
    private final RunGate gate;
    private final Watch watch;
    private final WorkerPool pool;
    private final RunThreads threads;
    private final RunQueue queue;

    QueuedRuns(SessionRuns runs, RunGate gate, Watch watch, WorkerPool pool, RunThreads threads, Admission admission) {
        this.runs = runs;
        this.gate = gate;
        this.watch = watch;
        this.pool = pool;
        this.threads = threads;
        this.queue = threads.queue(admission.queue(), admission.weight(), admission.maxConcurrentRuns());
    }

    /** A run that has entered the gate, which it leaves when it ends. */
    Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        QueuedRun run;
        try {
            run = new QueuedRun(this, queue, inputs, options, to, watch.begin(inputs));
        } catch (RuntimeException | Error e) {
            gate.leave();
            to.failed(named(e));
            return Disposables.disposed();
        }
        try {
            runs.checkForLater(inputs, options);
            run.await();
            return run;
        } catch (RuntimeException | Error e) {
            run.fail(e);
            return Disposables.disposed();
        }
    }

    WorkerPool pool() {
        return pool;
    }

    Outputs run(Inputs inputs, RunOptions options) {
        return runs.runUnwatched(inputs, options);
    }

    boolean goesOnWithoutThread() {
        return runs.goesOnWithoutThread();
    }

    void startWithoutThread(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        runs.startUnwatched(inputs, options, to);
    }

    EngineException named(Throwable thrown) {
        return runs.named(thrown);
    }

    void ended() {
        gate.leave();
    }

    int waiting() {
        return queue.waiting();
    }

    /** How many may wait. */
    int limit() {
        return queue.limit();
    }

    /** Whether none waits or is under way. */
    boolean isAtRest() {
        return queue.isAtRest();
    }

    boolean isOwnThread() {
        return threads.isOwnThread();
    }

    /** Fails what waits, and stops what is under way. */
    void giveUp() {
        for (Job waiting : queue.removeAll()) {
            ((QueuedRun) waiting).fail(Failures.sessionClosed());
        }
        for (Job running : queue.underWay()) {
            ((QueuedRun) running).cancel();
        }
    }
}
