package dev.millrace.scheduler.pool;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * Looks again for a while, and parks then until somebody unparks the thread: a park with a time limit ends when the system's
 * timers say so, which on virtual machines is a hundred microseconds late.
 */
final class SpinThenPark implements IdleStrategy {
    private static final int SPINS_PER_LOOK = 8;

    private final long spinNanos;
    private long start;

    SpinThenPark(long spinNanos) {
        this.spinNanos = spinNanos;
    }

    @Override
    public void reset() {
        start = System.nanoTime();
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (System.nanoTime() - start >= spinNanos) {
            LockSupport.park(this);
            return;
        }
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            Thread.onSpinWait();
        }
    }
}
