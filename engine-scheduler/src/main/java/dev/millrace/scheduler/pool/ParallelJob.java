package dev.millrace.scheduler.pool;

import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * One loop at a time, shared between its owner and the workers that join. Made once per frame and used again and again:
 * a loop is open while the number of workers inside is not negative, and only a worker that raised it to a number above zero
 * may touch the rest.
 */
public final class ParallelJob {
    /** With as many as may look at once, still negative. */
    private static final int CLOSED = Integer.MIN_VALUE / 2;
    /** Who takes chunks, where it is no worker. */
    private static final int OWNER = -1;
    /** How long the owner looks whether the workers have left, before it parks and the last one wakes it. */
    private static final long SPIN_NANOS = 50_000;

    /** Loops that lack helpers and take as long together are worth some: those stay for the next ones. */
    private static final long LACK_NANOS = 100_000;

    private final AtomicInteger helpers = new AtomicInteger(CLOSED);
    private final LoopShares shares = new LoopShares();
    private final IdleStrategy idle = new SpinThenPark(SPIN_NANOS);

    private volatile @Nullable Throwable failure;
    /** The owner, while it waits for workers to leave. */
    private volatile @Nullable Thread waiting;

    private @Nullable RangeTask task;
    private @Nullable LaunchContext context;
    private long grain;
    private int maxHelpers;
    private long lackNanos;

    /** A loop that takes so long lacks helpers. What it and those before it take together, if that is long; else 0. */
    long lacked(long nanos) {
        lackNanos += nanos;
        if (lackNanos < LACK_NANOS) {
            return 0;
        }
        long together = lackNanos;
        lackNanos = 0;
        return together;
    }

    void open(
            RangeTask newTask,
            LaunchContext newContext,
            long newItems,
            long newGrain,
            long newChunk,
            int newMaxHelpers) {
        task = newTask;
        context = newContext;
        grain = newGrain;
        maxHelpers = newMaxHelpers;
        failure = null;
        shares.open(newItems, newChunk, newMaxHelpers + 1);
        helpers.addAndGet(-CLOSED);
    }

    /** Works along if the loop is open and wants help. */
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

    /** @param inside how many are there already */
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

    /** The owner's work. */
    void work(Scratch scratch) {
        work(scratch, OWNER);
    }

    private void work(Scratch scratch, int worker) {
        RangeTask body = task;
        LaunchContext where = context;
        if (body == null || where == null) {
            return;
        }
        long least = grain;
        try {
            for (long from = take(worker); from >= 0; from = take(worker)) {
                where.checkCancelled();
                PacedRange.run(body, where, from, shares.endOf(from), least, scratch);
            }
        } catch (Throwable thrown) {
            shares.giveUp();
            failure = thrown;
        }
    }

    private long take(int worker) {
        return worker == OWNER ? shares.takeForOwner() : shares.takeFor(worker);
    }

    /** Waits until the last worker has left, closes the loop, and throws what one of them threw. */
    void close() {
        if (!helpers.compareAndSet(0, CLOSED)) {
            await();
        }
        task = null;
        context = null;
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
