package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.stream.Receiver;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A request that may become part of a batch. It is answered, fails or is given up: one of them, once. */
final class BatchMember implements Disposable, Receiver<Outputs> {
    final Inputs given;
    final RunOptions how;
    /** Whether an answer has led to it, on the thread that brought the answer. */
    final boolean isFollowUp;

    private final Receiver<Outputs> to;
    private final BatchedSession batches;
    private final AtomicBoolean done = new AtomicBoolean();
    private final @Nullable Disposable timer;
    /** The run that it is part of, once there is one. */
    private volatile @Nullable Disposable run;

    private volatile boolean gone;
    /** When it began to wait for others. */
    private long came;

    BatchMember(BatchedSession batches, Inputs given, RunOptions how, Receiver<Outputs> to, boolean isFollowUp) {
        this.batches = batches;
        this.given = given;
        this.how = how;
        this.to = to;
        this.isFollowUp = isFollowUp;
        Instant deadline = how.deadline();
        timer = deadline == null ? null : Deadline.at(deadline, this::expire);
    }

    boolean isDone() {
        return done.get() || how.cancellation().isCancelled();
    }

    void waits(long nanos) {
        came = nanos;
    }

    long came() {
        return came;
    }

    void startedIn(Disposable started) {
        run = started;
        if (gone) {
            started.dispose();
        }
    }

    @Override
    public void answered(Outputs outputs) {
        if (finish()) {
            to.answered(outputs);
        } else {
            outputs.close();
        }
    }

    @Override
    public void failed(EngineException failure) {
        if (finish()) {
            to.failed(failure);
        }
    }

    private boolean finish() {
        if (timer != null) {
            timer.dispose();
        }
        return done.compareAndSet(false, true);
    }

    private void expire() {
        leave(new EngineException(Status.DEADLINE_EXCEEDED, "the run's deadline has passed"));
    }

    @Override
    public void dispose() {
        leave(new EngineException(Status.CANCELLED, "the run was cancelled"));
    }

    private void leave(EngineException why) {
        if (finish()) {
            gone = true;
            batches.left(this);
            Disposable started = run;
            if (started != null) {
                started.dispose();
            }
            to.failed(why);
        }
    }
}
