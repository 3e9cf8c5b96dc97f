package dev.millrace.scheduler.pool;

import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * One loop at a time, shared between its owner and the workers that join. Made once per frame and used again and again:
 * the state is {@link #CLOSED} between loops, otherwise the number of workers inside, and only a worker that raised it may
 * touch the rest.
 */
public final class ParallelJob {
    private static final int CLOSED = -1;

    private final AtomicInteger helpers = new AtomicInteger(CLOSED);
    private final AtomicLong cursor = new AtomicLong();
    /** The owner looks for some 50 microseconds whether workers have left, and parks then between looks. */
    private final IdleStrategy idle = new BackoffIdleStrategy(1_000, 0, 20_000, 50_000);

    private volatile @Nullable Throwable failure;
    private @Nullable RangeTask task;
    private @Nullable LaunchContext context;
    private long items;
    private long grain;
    private long chunk;
    private int maxHelpers;

    void open(
            RangeTask newTask,
            LaunchContext newContext,
            long newItems,
            long newGrain,
            long newChunk,
            int newMaxHelpers) {
        task = newTask;
        context = newContext;
        items = newItems;
        grain = newGrain;
        chunk = newChunk;
        maxHelpers = newMaxHelpers;
        failure = null;
        cursor.set(0);
        helpers.set(0);
    }

    /** Works along if the loop is open and wants help. */
    boolean help(Scratch scratch) {
        int inside;
        do {
            inside = helpers.get();
            if (inside == CLOSED || inside >= maxHelpers || cursor.get() >= items) {
                return false;
            }
        } while (!helpers.compareAndSet(inside, inside + 1));
        try {
            work(scratch);
        } finally {
            helpers.decrementAndGet();
        }
        return true;
    }

    void work(Scratch scratch) {
        RangeTask body = task;
        LaunchContext where = context;
        if (body == null || where == null) {
            return;
        }
        long end = items;
        long step = chunk;
        long least = grain;
        try {
            for (long from = cursor.getAndAdd(step); from < end; from = cursor.getAndAdd(step)) {
                where.checkCancelled();
                PacedRange.run(body, where, from, Math.min(from + step, end), least, scratch);
            }
        } catch (Throwable thrown) {
            cursor.set(end);
            failure = thrown;
        }
    }

    /** Waits until the last worker has left, closes the loop, and throws what one of them threw. */
    void close() {
        idle.reset();
        boolean interrupted = false;
        while (!helpers.compareAndSet(0, CLOSED)) {
            idle.idle();
            // parking returns at once while the flag is set
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
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
}
