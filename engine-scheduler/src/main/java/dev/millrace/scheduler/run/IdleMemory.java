package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The plans that keep memory for later runs and live side by side, so that what lies idle in any of them gives way where
 * a run of one finds none, or where all together would hold more than they may.
 */
public final class IdleMemory {
    /** A binding and a frame. */
    private static final int LEFT_BY_A_RUN = 2;

    private final long limit;
    private final Map<Holder, Boolean> holders = new WeakHashMap<>();
    private long held;
    private @Nullable EngineException lastRefusal;

    /** The runs of a plan, which keep memory. */
    interface Holder {
        /** Drops all that is idle, and returns the number of dropped objects. */
        int giveUp();

        /** Releases the memory that no run has needed since the last call. */
        void trim();

        /** The bytes of intermediate values that are kept for later runs. */
        long idleBytes();
    }

    public IdleMemory() {
        this(Long.MAX_VALUE);
    }

    /** @param limit the bytes of weights and of intermediate values that there may be together */
    public IdleMemory(long limit) {
        this.limit = limit;
    }

    synchronized void add(Holder holder) {
        holders.put(holder, true);
    }

    private synchronized List<Holder> holders() {
        return new ArrayList<>(holders.keySet());
    }

    /** Drops all that is idle; true where that was more than the run that has just failed leaves behind. */
    boolean giveUp() {
        int count = 0;
        for (Holder holder : holders()) {
            count += holder.giveUp();
        }
        return count > LEFT_BY_A_RUN;
    }

    /**
     * Makes room for weights, for as long as what is returned has not been run.
     *
     * @throws EngineException BUDGET_EXCEEDED where there is none
     */
    public Runnable hold(long bytes) {
        makeRoom(bytes, "weights of " + bytes + " bytes", true);
        var isOver = new AtomicBoolean();
        return () -> {
            if (!isOver.getAndSet(true)) {
                release(bytes);
            }
        };
    }

    /** Sees to it that there is room for what a run is about to need. */
    void admit(long bytes) {
        if (limit != Long.MAX_VALUE) {
            makeRoom(bytes, "intermediate values of " + bytes + " bytes", false);
        }
    }

    private synchronized void release(long bytes) {
        held -= bytes;
        lastRefusal = null;
    }

    private synchronized void makeRoom(long bytes, String what, boolean stays) {
        if (limit != Long.MAX_VALUE && bytes > limit - used()) {
            // first what no run has needed for long, then what none needs right now
            holders().forEach(Holder::trim);
            if (bytes > limit - used()) {
                giveUp();
            }
            if (bytes > limit - used()) {
                lastRefusal = new EngineException(
                        Status.BUDGET_EXCEEDED,
                        "there is no room for " + what + ": " + used() + " of the engine's memory budget of " + limit
                                + " are held; close sessions, or raise EngineOptions.memoryBudget");
                throw lastRefusal;
            }
        }
        lastRefusal = null;
        if (stays) {
            held += bytes;
        }
    }

    private long used() {
        return held + idle();
    }

    /** The bytes of weights. */
    public synchronized long held() {
        return held;
    }

    /** The bytes of intermediate values that are kept for later runs. */
    public long idle() {
        long idle = 0;
        for (Holder holder : holders()) {
            idle += holder.idleBytes();
        }
        return idle;
    }

    /** The bytes that there may be together. */
    public long limit() {
        return limit;
    }

    /** Why the last that asked for room got none; null where it got some, or something was given back since. */
    public synchronized @Nullable EngineException lastRefusal() {
        return lastRefusal;
    }
}
