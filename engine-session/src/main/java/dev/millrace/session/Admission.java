package dev.millrace.session;

import dev.millrace.graph.EngineException;

/**
 * A session's limits on the resources that it shares with other sessions. They apply to the asynchronous runs of
 * {@code mono} and {@code flux}; a blocking {@code run} works on its caller's thread and waits for nobody.
 *
 * @param queue the number of requests that may wait for the session; further ones are refused with OVERLOADED
 * @param weight the session's share of the engine's threads, relative to a session of weight 1, when both want more
 * @param maxConcurrentRuns the number of runs that may be under way at once
 */
public record Admission(int queue, int weight, int maxConcurrentRuns) {
    static final int HIGHEST_WEIGHT = 1000;

    public Admission {
        atLeastOne("queue", queue);
        atLeastOne("weight", weight);
        atLeastOne("maxConcurrentRuns", maxConcurrentRuns);
        if (weight > HIGHEST_WEIGHT) {
            throw EngineException.invalidArgument("weight is " + weight + "; it is at most " + HIGHEST_WEIGHT);
        }
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw EngineException.invalidArgument(name + " is " + value + "; it is at least 1");
        }
    }

    /**
     * The default limits: 1,024 requests may wait, the weight is 1, and concurrent runs are
     * limited by the threads alone.
     */
    public static Admission defaults() {
        return new Admission(1024, 1, Integer.MAX_VALUE);
    }
}
