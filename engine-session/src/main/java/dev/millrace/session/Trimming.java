package dev.millrace.session;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Has a session give back what only a burst of runs needed: now and then while it runs, and once more when it has come to
 * rest. Nothing is under way for a session that rests.
 */
final class Trimming implements Runnable {
    /** What has happened since the last trim. */
    private enum State {
        RESTING,
        RUNNING,
        CALM
    }

    private final Executor later;
    private volatile @Nullable Runnable trim;
    private final AtomicReference<State> state = new AtomicReference<>(State.RESTING);

    /** @param later runs a task after a while */
    Trimming(Executor later, Runnable trim) {
        this.later = later;
        this.trim = trim;
    }

    /** Takes note of a run. */
    void ran() {
        if (state.get() != State.RUNNING && state.getAndSet(State.RUNNING) == State.RESTING) {
            later.execute(this);
        }
    }

    /** Lets go of the session, which a task that is still to come would otherwise hold until then. */
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
