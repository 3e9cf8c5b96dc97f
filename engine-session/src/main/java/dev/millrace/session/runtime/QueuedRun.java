package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.request.PendingRequest;
import dev.millrace.session.stream.Job;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.RunQueue;
import dev.millrace.session.util.Deadline;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * A run of a session that happens later, or is taken back before. Exactly one of the two gives an answer and ends it. Where
 * its caller waits and nobody else does, the caller's thread does it at once.
 */
public final class QueuedRun extends Job implements Disposable {
    private final QueuedRuns runs;
    private final RunQueue queue;
    private final Inputs inputs;
    private final RunOptions options;
    private final Cancellation cancellation;
    private final PendingRequest request;
    private final Watch.@Nullable Request watched;

    QueuedRun(
            QueuedRuns runs,
            RunQueue queue,
            Inputs inputs,
            RunOptions options,
            Receiver<Outputs> to,
            Watch.@Nullable Request watched) {
        super(options.priority());
        this.runs = runs;
        this.queue = queue;
        this.inputs = inputs;
        this.cancellation = new Cancellation(options.cancellation());
        this.options = SessionRuns.cancelledBy(cancellation, options);
        this.watched = watched;
        this.request = new PendingRequest(to, this::release);
    }

    /** Waits for its turn, for no longer than its deadline. */
    void await() {
        Instant deadline = options.deadline();
        if (deadline != null) {
            request.expiresAt(Deadline.ahead(deadline), this::expire);
        }
        if (!request.isAwaited() || !queue.run(this)) {
            queue.add(this);
        }
    }

    @Override
    public void run() {
        Outputs outputs;
        try {
            if (watched != null) {
                watched.started(options);
            }
            request.began();
            cancellation.check();
            RunOptions heard = watched == null ? options : watched.heard(options);
            if (runs.goesOnWithoutThread()) {
                start(heard);
                return;
            }
            outputs = runs.run(inputs, heard);
        } catch (RuntimeException | Error e) {
            fail(e);
            return;
        }
        answer(outputs);
    }

    /** Starts a run that devices go on with. */
    private void start(RunOptions heard) {
        long begin = System.nanoTime();
        goesOn();
        var end = new Receiver<Outputs>() {
            @Override
            public void answered(Outputs outputs) {
                queue.ended(QueuedRun.this, System.nanoTime() - begin);
                answer(outputs);
            }

            @Override
            public void failed(EngineException failure) {
                queue.ended(QueuedRun.this, System.nanoTime() - begin);
                fail(failure);
            }
        };
        try {
            runs.startWithoutThread(inputs, heard, end);
        } catch (RuntimeException | Error e) {
            end.failed(runs.named(e));
        }
    }

    private void answer(Outputs outputs) {
        // who hears of the answer is still on this run's processor, which helps no other run
        runs.pool().tellBegins();
        try {
            request.answered(outputs);
        } finally {
            runs.pool().tellEnds();
        }
    }

    @Override
    public void dispose() {
        cancellation.cancel();
        takeBack();
    }

    private void expire() {
        cancellation.expire();
        takeBack();
    }

    private void takeBack() {
        if (queue.remove(this)) {
            stopped();
        }
    }

    /** Stops it where it is under way. */
    void cancel() {
        cancellation.cancel();
    }

    /** Ends it where it was taken out of the queue, as its cancellation says. */
    private void stopped() {
        try {
            cancellation.check();
        } catch (EngineException e) {
            fail(e);
        }
    }

    /** Ends it where it left the queue or never got into it. */
    void fail(Throwable thrown) {
        request.failed(runs.named(thrown));
    }

    private void release(@Nullable EngineException failure) {
        try {
            if (watched != null) {
                watched.ended(failure);
            }
        } finally {
            runs.ended();
        }
    }
}
