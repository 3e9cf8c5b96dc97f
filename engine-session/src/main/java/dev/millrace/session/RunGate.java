package dev.millrace.session;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Counts the runs under way, so that closing can refuse new ones and wait for the rest. Entering allocates nothing. */
final class RunGate {
    private static final int CLOSED = 1 << 30;

    private final AtomicInteger state = new AtomicInteger();
    private final @Nullable ReentrantLock turns;
    private final Runnable onClosed;
    private volatile @Nullable Thread closer;

    RunGate(boolean oneAtATime, Runnable onClosed) {
        this.turns = oneAtATime ? new ReentrantLock() : null;
        this.onClosed = onClosed;
    }

    void enter() {
        if ((state.incrementAndGet() & CLOSED) != 0) {
            release();
            throw Session.closedException();
        }
        if (turns != null) {
            turns.lock();
        }
    }

    void leave() {
        if (turns != null) {
            turns.unlock();
        }
        release();
    }

    private void release() {
        if (state.decrementAndGet() == CLOSED) {
            LockSupport.unpark(closer);
        }
    }

    /** Waits for the runs under way, the first time; a run must not close its own session. */
    void close() {
        if ((state.getAndUpdate(old -> old | CLOSED) & CLOSED) != 0) {
            return;
        }
        closer = Thread.currentThread();
        while (state.get() != CLOSED) {
            LockSupport.park(this);
        }
        onClosed.run();
    }
}
