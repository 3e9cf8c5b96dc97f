package dev.millrace.session;

import dev.millrace.graph.EngineException;

/**
 * What a session may take of what it shares with others. Of runs that happen later, {@code mono}'s and {@code flux}'s; a
 * blocking {@code run} works on its caller's thread and waits for nobody.
 *
 * @param queue how many requests may wait for the session; more are refused with OVERLOADED
 * @param weight how much more of the engine's threads the session gets than one of weight 1, where both want more
 * @param maxConcurrentRuns how many runs are under way at once
 */
public record Admission(int queue, int weight, int maxConcurrentRuns) {
    private static final int HIGHEST_WEIGHT = 1000;

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

    /** 1,024 requests may wait, the weight is 1, and as many run as there are threads. */
    public static Admission defaults() {
        return new Admission(1024, 1, Integer.MAX_VALUE);
    }
}
