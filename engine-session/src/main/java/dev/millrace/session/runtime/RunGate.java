package dev.millrace.session.runtime;

import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the runs under way, so that closing can refuse new ones and wait for the rest. Entering allocates nothing. */
final class RunGate {
    private static final int CLOSED = 1 << 30;
    private static final int CLEARED = 1 << 29;

    private final AtomicInteger state = new AtomicInteger();
    private final Runnable onClosed;
    private final CountDownLatch cleared = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;

    /** @param onClosed runs once, when the gate is closed and the last run has left */
    RunGate(Runnable onClosed) {
        this.onClosed = onClosed;
    }

    void enter() {
        if (!tryEnter()) {
            throw Failures.sessionClosed();
        }
    }

    /** False where it is closed. */
    boolean tryEnter() {
        if ((state.incrementAndGet() & CLOSED) != 0) {
            leave();
            return false;
        }
        return true;
    }

    boolean isClosed() {
        return (state.get() & CLOSED) != 0;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            clear();
        }
    }

    private void clear() {
        if (!state.compareAndSet(CLOSED, CLOSED | CLEARED)) {
            return;
        }
        try {
            onClosed.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            cleared.countDown();
        }
    }

    /**
     * Refuses new runs. Whoever waits returns when the last one has left, interrupted or not; without waiting, the last
     * one clears up. The first to close hears of what clearing up has thrown.
     */
    void close(boolean waits) {
        boolean first = (state.getAndUpdate(old -> old | CLOSED) & CLOSED) == 0;
        if (state.get() == CLOSED) {
            clear();
        }
        if (waits) {
            await();
            Throwable thrown = failure;
            if (first && thrown != null) {
                throw Failures.named("closing the session", thrown);
            }
        }
    }

    /** Whether the last one has left, after waiting for so long at most. An interrupt ends the wait and stays set. */
    boolean await(Duration limit) {
        try {
            return cleared.await(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void await() {
        boolean interrupted = false;
        while (true) {
            try {
                cleared.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
