package dev.millrace.scheduler;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.jspecify.annotations.Nullable;

/** A switch that stops one run, thrown once and by anyone. The run ends at its next step or its next range of work. */
public final class Cancellation {
    private final @Nullable Cancellation outer;
    private volatile boolean cancelled;
    private volatile boolean expired;

    public Cancellation() {
        this(null);
    }

    /** A switch that is thrown with another one, or alone. */
    public Cancellation(@Nullable Cancellation outer) {
        this.outer = outer;
    }

    public void cancel() {
        cancelled = true;
    }

    /** Stops the run because its deadline has passed, which it says in place of having been cancelled. */
    public void expire() {
        if (!cancelled) {
            expired = true;
            cancelled = true;
        }
    }

    public boolean isCancelled() {
        return cancelled || outer != null && outer.isCancelled();
    }

    public void check() {
        if (isCancelled()) {
            throw expired || outer != null && outer.expired
                    ? new EngineException(Status.DEADLINE_EXCEEDED, "the run's deadline passed before it ended")
                    : new EngineException(Status.CANCELLED, "the run was cancelled");
        }
    }
}
