package dev.millrace.session.batch;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.request.PendingRequest;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A request that may become part of a batch. It is answered, fails or is given up: one of them, once. */
final class BatchMember implements Disposable, Receiver<Outputs> {
    final Inputs inputs;
    final RunOptions options;
    /** Whether an answer has led to it, on the thread that brought the answer. */
    final boolean isFollowUp;

    private final PendingRequest request;
    private final OpenBatchedSession batches;
    /** The run that it is part of, once there is one. */
    private volatile @Nullable Disposable run;

    private volatile boolean gone;
    /** When it began to wait for others. */
    private long came;

    BatchMember(
            OpenBatchedSession batches, Inputs inputs, RunOptions options, Receiver<Outputs> to, boolean isFollowUp) {
        this.batches = batches;
        this.inputs = inputs;
        this.options = options;
        this.request = new PendingRequest(to);
        this.isFollowUp = isFollowUp;
        Instant deadline = options.deadline();
        if (deadline != null) {
            request.expiresAt(deadline, () -> leave(Deadline.passed()));
        }
    }

    /** Whether nobody wants its answer any more; it may have to hear of its end yet. */
    boolean isUnwanted() {
        return request.isEnded() || options.cancellation().isCancelled();
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
        request.answered(outputs);
    }

    @Override
    public void failed(EngineException failure) {
        request.failed(failure);
    }

    @Override
    public void dispose() {
        leave(Failures.cancelled());
    }

    private void leave(EngineException why) {
        if (!request.fail(why)) {
            return;
        }
        gone = true;
        batches.left(this);
        Disposable started = run;
        if (started != null) {
            started.dispose();
        }
    }
}
