package dev.millrace.bench.kernels;

import dev.millrace.kernels.call.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that wait for the next piece of work awake for some microseconds, then asleep: work that comes in quick
 * succession does not pay for waking them, and nobody else pays for their waiting. For one caller at a time.
 */
final class SpinningThreads implements Parallel, AutoCloseable {
    private static final long SPIN_NANOS = 20_000;

    private final int width;
    private final List<Worker> workers = new ArrayList<>();
    private volatile @Nullable Job current;
    private volatile boolean closed;

    SpinningThreads(int width) {
        this.width = width;
        for (int i = 1; i < width; i++) {
            Worker worker = new Worker();
            workers.add(worker);
            worker.thread.start();
        }
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public void run(int tasks, IntConsumer task) {
        Job job = new Job(task, tasks);
        if (tasks > 1) {
            current = job;
            for (Worker worker : workers) {
                if (worker.asleep) {
                    LockSupport.unpark(worker.thread);
                }
            }
        }
        job.work();
        while (job.done.get() < tasks) {
            Thread.onSpinWait();
        }
        current = null;
        Throwable failure = job.failure;
        if (failure != null) {
            throw new IllegalStateException("a task failed", failure);
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Worker worker : workers) {
            LockSupport.unpark(worker.thread);
        }
    }

    /** One call of {@link #run}. */
    private static final class Job {
        private final IntConsumer task;
        private final int tasks;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private volatile @Nullable Throwable failure;

        Job(IntConsumer task, int tasks) {
            this.task = task;
            this.tasks = tasks;
        }

        void work() {
            for (int i = next.getAndIncrement(); i < tasks; i = next.getAndIncrement()) {
                try {
                    task.accept(i);
                } catch (RuntimeException | Error thrown) {
                    failure = thrown;
                } finally {
                    done.getAndIncrement();
                }
            }
        }
    }

    private final class Worker implements Runnable {
        private final Thread thread = Thread.ofPlatform().daemon().name("bench").unstarted(this);
        private volatile boolean asleep;

        @Override
        public void run() {
            Job last = null;
            while (!closed) {
                Job job = await(last);
                if (job != null) {
                    job.work();
                }
                last = job;
            }
        }

        /** The next job, or null where these threads were closed. */
        private @Nullable Job await(@Nullable Job last) {
            long end = System.nanoTime() + SPIN_NANOS;
            Job job = current;
            while ((job == null || job == last) && !closed) {
                if (System.nanoTime() < end) {
                    Thread.onSpinWait();
                } else {
                    asleep = true;
                    job = current;
                    if ((job == null || job == last) && !closed) {
                        LockSupport.park(this);
                    }
                    asleep = false;
                }
                job = current;
            }
            return job;
        }
    }
}
