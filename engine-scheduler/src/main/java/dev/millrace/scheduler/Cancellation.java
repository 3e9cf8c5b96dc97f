package dev.millrace.scheduler;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A switch that stops one run, thrown once and by anyone. The run ends at its next step or its next range of work. */
public final class Cancellation {
    private final @Nullable Cancellation outer;
    private volatile boolean cancelled;
    private volatile boolean expired;
    /** Actions for the moment when the switch is thrown; null where nothing waits for that. */
    private @Nullable List<Runnable> waiting;

    public Cancellation() {
        this(null);
    }

    /** A switch that is thrown with another one, or alone. */
    public Cancellation(@Nullable Cancellation outer) {
        this.outer = outer;
    }

    public void cancel() {
        List<Runnable> told;
        synchronized (this) {
            cancelled = true;
            told = waiting;
            waiting = null;
        }
        if (told != null) {
            told.forEach(Runnable::run);
        }
    }

    /**
     * Calls an action when the switch is thrown, on the thread that throws it, and at once where it was thrown before. The
     * action may be called twice.
     *
     * @return ends the wait, so that the action is not called any more
     */
    public Runnable whenCancelled(Runnable action) {
        Runnable ofOuter = outer == null ? () -> {} : outer.whenCancelled(action);
        boolean isLate;
        synchronized (this) {
            isLate = cancelled;
            if (!isLate) {
                List<Runnable> present = waiting == null ? new ArrayList<>(1) : waiting;
                present.add(action);
                waiting = present;
            }
        }
        if (isLate) {
            action.run();
        }
        return () -> {
            ofOuter.run();
            forget(action);
        };
    }

    private synchronized void forget(Runnable action) {
        if (waiting != null) {
            waiting.remove(action);
        }
    }

    /** Stops the run because its deadline has passed, which it says in place of having been cancelled. */
    public void expire() {
        if (!cancelled) {
            expired = true;
            cancel();
        }
    }

    public boolean isCancelled() {
        return cancelled || outer != null && outer.isCancelled();
    }

    public void check() {
        if (isCancelled()) {
            throw failure();
        }
    }

    /** Returns the failure of a run that this switch stops. */
    public EngineException failure() {
        return expired || outer != null && outer.expired
                ? new EngineException(Status.DEADLINE_EXCEEDED, "the run's deadline passed before it ended")
                : new EngineException(Status.CANCELLED, "the run was cancelled");
    }
}
