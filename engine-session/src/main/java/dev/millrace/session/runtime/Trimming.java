package dev.millrace.session.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes a session give back the memory that only a burst of runs needed: now and then while it runs, and once more when
 * it has come to rest. No task is scheduled for a session at rest.
 */
final class Trimming implements Runnable {
    /** The session's activity since the last trim. */
    private enum State {
        RESTING,
        RUNNING,
        CALM
    }

    private final Executor later;
    private volatile @Nullable Runnable trim;
    private final AtomicReference<State> state = new AtomicReference<>(State.RESTING);

    /** @param later runs a task after a delay */
    Trimming(Executor later, Runnable trim) {
        this.later = later;
        this.trim = trim;
    }

    /** Records a run. */
    void ran() {
        if (state.get() != State.RUNNING && state.getAndSet(State.RUNNING) == State.RESTING) {
            later.execute(this);
        }
    }

    /** Drops the reference to the session, which a scheduled task would otherwise hold until it runs. */
    void end() {
        trim = null;
    }

    @Override
    public void run() {
        Runnable still = trim;
        if (still == null) {
            return;
        }
        still.run();
        if (state.updateAndGet(now -> now == State.RUNNING ? State.CALM : State.RESTING) == State.CALM) {
            later.execute(this);
        }
    }
}
