package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.stream.Job;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.RunQueue;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * A run of a session that happens later, or is taken back before. Exactly one of the two gives an answer and ends it. Where
 * its caller waits and nobody else does, the caller's thread does it at once.
 */
final class LaterRun extends Job implements Disposable {
    private final LaterRuns runs;
    private final RunQueue queue;
    private final Inputs given;
    private final RunOptions how;
    private final Cancellation cancellation;
    private final Receiver<Outputs> to;
    private final Watch.@Nullable Request watched;
    private @Nullable Disposable timer;

    LaterRun(
            LaterRuns runs,
            RunQueue queue,
            Inputs given,
            RunOptions how,
            Receiver<Outputs> to,
            Watch.@Nullable Request watched) {
        super(how.priority());
        this.runs = runs;
        this.queue = queue;
        this.given = given;
        this.cancellation = new Cancellation(how.cancellation());
        this.how = how.cancelledBy(cancellation);
        this.to = to;
        this.watched = watched;
    }

    /** Waits for its turn, for no longer than its deadline. */
    void await() {
        Instant deadline = how.deadline();
        if (deadline != null) {
            timer = Deadline.at(Deadline.ahead(deadline), this::expire);
        }
        if (!to.isAwaited() || !queue.run(this)) {
            queue.add(this);
        }
    }

    @Override
    public void run() {
        Outputs outputs;
        if (watched != null) {
            watched.started();
        }
        to.began();
        try {
            cancellation.check();
            outputs = runs.run(given, watched == null ? how : watched.heard(how));
        } catch (RuntimeException | Error e) {
            fail(e);
            return;
        }
        // who hears of the answer is still on this run's processor, which helps no other run
        runs.pool().tellBegins();
        try {
            end(null);
            to.answered(outputs);
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

    /** Ends it, who was taken out of the queue, as its cancellation says. */
    private void stopped() {
        try {
            cancellation.check();
        } catch (EngineException e) {
            fail(e);
        }
    }

    /** Ends it, who was or never got into the queue. */
    void fail(Throwable thrown) {
        EngineException failure = runs.named(thrown);
        end(failure);
        to.failed(failure);
    }

    private void end(@Nullable EngineException failure) {
        if (watched != null) {
            watched.ended(failure);
        }
        Disposable set = timer;
        if (set != null) {
            set.dispose();
        }
        runs.ended();
    }
}
