package dev.millrace.scheduler;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;

/** A switch that stops one run, thrown once and by anyone. The run ends at its next step or its next range of work. */
public final class Cancellation {
    private volatile boolean cancelled;

    public void cancel() {
        cancelled = true;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    public void check() {
        if (cancelled) {
            throw new EngineException(Status.CANCELLED, "the run was cancelled");
        }
    }
}
