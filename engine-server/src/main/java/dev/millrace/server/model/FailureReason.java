package dev.millrace.server.model;

import dev.millrace.graph.EngineException;

/** The reasons of failed requests, under Triton's names. */
public enum FailureReason {
    /** The queue is full, or the request's time is over. */
    REJECTED,
    /** The client gives the request up. */
    CANCELED,
    /** The run fails. */
    BACKEND,
    OTHER;

    /** @param hasRun whether the run had begun */
    static FailureReason of(Throwable failure, boolean hasRun) {
        FailureReason otherwise = hasRun ? BACKEND : OTHER;
        if (!(failure instanceof EngineException known)) {
            return otherwise;
        }
        return switch (known.status()) {
            case OVERLOADED, DEADLINE_EXCEEDED, BUDGET_EXCEEDED, CLOSED -> REJECTED;
            case CANCELLED -> CANCELED;
            default -> otherwise;
        };
    }
}
