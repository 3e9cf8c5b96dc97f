package dev.millrace.session;

import dev.millrace.graph.Status;
import java.util.List;

/**
 * Whether a session or an engine can answer right now, as a service's health endpoint tells it. It is what is known without
 * a run, and takes microseconds to ask.
 *
 * @param condition the worst that any of the troubles means for who was asked
 * @param troubles what keeps it from being well; empty where it is up
 */
public record Health(Condition condition, List<Trouble> troubles) {
    /** How well something can answer; the later the worse. */
    public enum Condition {
        /** Requests are answered. */
        UP,
        /** Some requests are answered, or all of them far more slowly than this machine could. */
        DEGRADED,
        /** No request is answered. */
        DOWN
    }

    /**
     * Something that keeps requests from being answered.
     *
     * @param condition what it means for the session or engine that has it
     * @param status that requests fail with for it
     * @param place the session or engine that has it
     * @param text for people
     */
    public record Trouble(Condition condition, Status status, String place, String text) {}

    public Health {
        troubles = List.copyOf(troubles);
    }

    /** Returns the health that these troubles make: as bad as the worst of them. */
    public static Health of(List<Trouble> troubles) {
        Condition worst = troubles.stream()
                .map(Trouble::condition)
                .max(Condition::compareTo)
                .orElse(Condition.UP);
        return new Health(worst, troubles);
    }

    /** Whether any request may be answered: what a load balancer asks. */
    public boolean isAnswering() {
        return condition != Condition.DOWN;
    }
}
