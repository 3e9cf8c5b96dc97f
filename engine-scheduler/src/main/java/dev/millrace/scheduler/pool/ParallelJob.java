package dev.millrace.scheduler.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A parallel loop that its owner and joining workers process together, one at a time. An instance is created once per
 * frame and reused. A loop is open while the number of workers inside is not negative, and only a worker that raised it
 * to a number above zero may access the other fields.
 */
public final class ParallelJob {
    /**
     * The count of helpers while the loop is closed. It stays negative when workers increment it that saw the loop
     * still open.
     */
    private static final int CLOSED = Integer.MIN_VALUE / 2;
    /** The number of the owner in place of a worker's number. */
    private static final int OWNER = -1;
    /**
     * The time in nanoseconds that the owner spins until the workers have left, before it parks and the last one
     * unparks it.
     */
    private static final long SPIN_NANOS = 50_000;

    /**
     * The total time in nanoseconds of loops without enough helpers from which waking workers pays; they stay for the
     * next loops.
     */
    private static final long LACK_NANOS = 100_000;

    private final AtomicInteger helpers = new AtomicInteger(CLOSED);
    private final LoopShares shares = new LoopShares();
    private final IdleStrategy idle = new SpinThenPark(SPIN_NANOS);

    private volatile @Nullable Throwable failure;
    /** The owner while it waits for workers to leave, else null. */
    private volatile @Nullable Thread waiting;

    private @Nullable LoopBody body;
    private long grain;
    private int maxHelpers;
    private long lackNanos;

    /**
     * Adds the time of a loop that lacks helpers; returns the total since the last result if it is long enough, else 0.
     */
    long lacked(long nanos) {
        lackNanos += nanos;
        if (lackNanos < LACK_NANOS) {
            return 0;
        }
        long together = lackNanos;
        lackNanos = 0;
        return together;
    }

    void open(LoopBody newBody, long newItems, long newGrain, long newChunk, int newMaxHelpers) {
        body = newBody;
        grain = newGrain;
        maxHelpers = newMaxHelpers;
        failure = null;
        shares.open(newItems, newChunk, newMaxHelpers + 1);
        helpers.addAndGet(-CLOSED);
    }

    /** Joins the loop if it is open and takes more helpers; returns whether it did. */
    boolean help(Scratch scratch, int worker) {
        if (!isWanted(helpers.get()) || shares.areTaken()) {
            return false;
        }
        boolean wanted = isWanted(helpers.getAndIncrement());
        try {
            if (wanted) {
                work(scratch, worker);
            }
        } finally {
            leave();
        }
        return wanted;
    }

    /** @param inside the number of helpers that have joined */
    private boolean isWanted(int inside) {
        return inside >= 0 && inside < maxHelpers;
    }

    private void leave() {
        if (helpers.decrementAndGet() == 0) {
            Thread owner = waiting;
            if (owner != null) {
                LockSupport.unpark(owner);
            }
        }
    }

    /** Processes chunks on the owner's thread. */
    void work(Scratch scratch) {
        work(scratch, OWNER);
    }

    private void work(Scratch scratch, int worker) {
        LoopBody loop = body;
        if (loop == null) {
            return;
        }
        long least = grain;
        try {
            for (long from = take(worker); from >= 0; from = take(worker)) {
                loop.checkCancelled();
                PacedRange.run(loop, from, shares.endOf(from), least, scratch);
            }
        } catch (Throwable thrown) {
            shares.giveUp();
            failure = thrown;
        }
    }

    private long take(int worker) {
        return worker == OWNER ? shares.takeForOwner() : shares.takeFor(worker);
    }

    /** Waits until the last worker has left, closes the loop, and rethrows a failure. */
    void close() {
        if (!helpers.compareAndSet(0, CLOSED)) {
            await();
        }
        body = null;
        Throwable thrown = failure;
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    private void await() {
        waiting = Thread.currentThread();
        idle.reset();
        boolean interrupted = false;
        while (helpers.get() != 0 || !helpers.compareAndSet(0, CLOSED)) {
            idle.idle();
            // parking returns at once while the flag is set
            interrupted |= Thread.interrupted();
        }
        waiting = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
