package dev.millrace.scheduler.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The plans that keep memory for later runs and live side by side, so that what lies idle in any of them gives way where
 * a run of one finds none.
 */
public final class IdleMemory {
    /** A binding and a frame. */
    private static final int LEFT_BY_A_RUN = 2;

    private final Map<PlanRunner, Boolean> runners = new WeakHashMap<>();

    synchronized void add(PlanRunner runner) {
        runners.put(runner, true);
    }

    private synchronized List<PlanRunner> runners() {
        return new ArrayList<>(runners.keySet());
    }

    /** Drops all that is idle; true where that was more than the run that has just failed leaves behind. */
    boolean giveUp() {
        int count = 0;
        for (PlanRunner runner : runners()) {
            count += runner.giveUp();
        }
        return count > LEFT_BY_A_RUN;
    }
}
