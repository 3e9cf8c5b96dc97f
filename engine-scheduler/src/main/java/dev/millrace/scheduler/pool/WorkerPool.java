package dev.millrace.scheduler.pool;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers of the process: daemon threads that join parallel loops and run stream tasks, and park when there is
 * neither. The caller of a loop always takes part, so a pool without workers is serial, and the number of threads does
 * not depend on the number of callers.
 */
public final class WorkerPool implements Executor, AutoCloseable {
    private static final int LOOPS = 64;
    /**
     * The time in nanoseconds that a worker spins before it parks: loops of one run follow each other within
     * microseconds.
     */
    private static final long SPIN_NANOS = 50_000;

    private static final int SPINS_PER_LOOK = 8;
    /**
     * The work in nanoseconds for which it pays to wake a thread: waking takes the caller up to 10 microseconds, and
     * the thread as long.
     */
    private static final long WORTH_NANOS = 20_000;
    /** The time in nanoseconds for which a thread that delivers a result counts as one that uses a processor. */
    private static final long TELL_NANOS = 200_000;
    /**
     * The time in nanoseconds between two trims of a worker's arrays; an array that is not used between two trims is
     * dropped.
     */
    private static final long KEEP_NANOS = 5_000_000_000L;

    private final long keepNanos;
    private final Worker[] workers;
    private final AtomicReferenceArray<@Nullable ParallelJob> loops = new AtomicReferenceArray<>(LOOPS);
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** The number of entries of {@link #loops} that hold a loop. */
    private final AtomicInteger openLoops = new AtomicInteger();

    /** The number of workers that spin for work or help with a loop. */
    private final AtomicInteger awake = new AtomicInteger();

    /** The number of runs under way. Each has a thread of its own, whose processor cannot help another run. */
    private final AtomicInteger runs = new AtomicInteger();

    /** The number of threads that deliver a result to a subscriber. */
    private final AtomicInteger tellers = new AtomicInteger();
    /** The time at which the last of them began. */
    private volatile long lastTold;

    private volatile boolean closed;

    /** Creates a pool with this many threads beside the callers'. They start when first needed. */
    public WorkerPool(int workers) {
        this(workers, KEEP_NANOS);
    }

    WorkerPool(int workers, long keepNanos) {
        this.keepNanos = keepNanos;
        this.workers = new Worker[workers];
        for (int i = 0; i < workers; i++) {
            this.workers[i] = new Worker(i);
        }
    }

    /** Creates a pool for all processors that the container allows, one of which is the caller's. */
    public static WorkerPool forThisMachine() {
        return new WorkerPool(Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
    }

    /** The number of threads that can work on one loop: the workers and the caller. */
    public int parallelism() {
        return workers.length + 1;
    }

    /**
     * Marks the beginning of a run on this thread, until {@link #runEnds()}. Loops of other runs get one helper fewer
     * meanwhile.
     */
    public void runBegins() {
        runs.incrementAndGet();
    }

    public void runEnds() {
        runs.decrementAndGet();
    }

    /**
     * Marks the delivery of a run's result on this thread, until {@link #tellEnds()}. At first it counts like the run
     * itself.
     */
    public void tellBegins() {
        lastTold = System.nanoTime();
        tellers.incrementAndGet();
    }

    public void tellEnds() {
        tellers.decrementAndGet();
    }

    /**
     * Returns the number of delivering threads that use a processor and are about to run again. A delivery that takes
     * long sleeps or waits for a processor: the receiver has requested the next run already and uses that thread's
     * processor.
     */
    private int telling() {
        int count = tellers.get();
        return count > 0 && System.nanoTime() - lastTold > TELL_NANOS ? 0 : count;
    }

    /** Returns the number of workers that may help with a loop; more would take processors from other runs. */
    private int free() {
        return workers.length - Math.max(0, runs.get() + telling() - 1);
    }

    /**
     * Runs {@code body} over {@code [0, items)} on this thread and on at most {@code threads - 1} workers, fewer where
     * other runs are under way, and checks cancellation every few milliseconds. A range is {@code grain} items or more,
     * unless items turn out to be slow. Allocates nothing. {@code job} is the caller's, for one loop at a time.
     *
     * @param nanos the time that the whole loop takes one thread, or a larger number where it is unknown; it determines
     *     how many workers are woken
     */
    public void parallelFor(
            ParallelJob job, int threads, long items, long grain, LoopBody body, long nanos, Scratch scratch) {
        if (items <= 0) {
            return;
        }
        int helpers = Math.min(Math.min(threads - 1, free()), (int) Math.min(64, (items - 1) / grain));
        int up = awake.get();
        int wanted = helpers <= 0 ? 0 : up + toWake(job, helpers, up, nanos);
        if (wanted == 0 || closed) {
            PacedRange.run(body, 0, items, grain, scratch);
            return;
        }
        long chunk = Math.max(grain, Math.ceilDiv(items, 4L * (helpers + 1)));
        job.open(body, items, grain, chunk, helpers);
        int place = publish(job);
        if (place >= 0) {
            wakeUpTo(wanted);
        }
        try {
            job.work(scratch);
        } finally {
            if (place >= 0) {
                openLoops.decrementAndGet();
                loops.set(place, null);
            }
        }
        job.close();
    }

    /**
     * Publishes a loop to the workers and returns its index; negative where there are too many, and its owner does it
     * alone.
     */
    private int publish(ParallelJob job) {
        for (int i = 0; i < LOOPS; i++) {
            if (loops.get(i) == null && loops.compareAndSet(i, null, job)) {
                openLoops.incrementAndGet();
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the number of workers to wake for a loop. Where no other run is under way, those that are awake join by
     * themselves.
     *
     * @param up the number of workers that are awake
     */
    private int toWake(ParallelJob job, int helpers, int up, long nanos) {
        int asleep = runs.get() > 1 ? helpers : helpers - up;
        if (asleep <= 0 || nanos / WORTH_NANOS > asleep) {
            return Math.max(0, asleep);
        }
        long worth = Math.max(nanos, job.lacked(nanos)) / WORTH_NANOS - 1;
        return (int) Math.clamp(worth, 0, asleep);
    }

    /** Runs a task on a worker soon; in a pool without workers, at once on this thread. */
    @Override
    public void execute(Runnable task) {
        if (workers.length == 0 || closed) {
            task.run();
            return;
        }
        tasks.add(task);
        wakeOne();
        if (closed || !isAnyStarted()) {
            // the workers may have just ended, or the system may have no thread for them
            for (Runnable left = tasks.poll(); left != null; left = tasks.poll()) {
                left.run();
            }
        }
    }

    private boolean isAnyStarted() {
        for (Worker worker : workers) {
            if (worker.thread != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Wakes workers until {@code wanted} are awake. A worker that was counted as awake and has parked since either saw
     * the loop before it parked or is missing in the count here, because the loop was published before.
     */
    private void wakeUpTo(int wanted) {
        for (Worker worker : workers) {
            if (awake.get() >= wanted) {
                return;
            }
            worker.wake();
        }
    }

    private void wakeOne() {
        for (Worker worker : workers) {
            if (worker.wake()) {
                return;
            }
        }
    }

    /** Ends the workers once they are idle. Later loops and tasks run on their callers. */
    @Override
    public void close() {
        closed = true;
        for (Worker worker : workers) {
            worker.wake();
        }
    }

    private boolean workOnce(Scratch scratch, int worker) {
        Runnable task = tasks.poll();
        if (task != null) {
            awake.decrementAndGet();
            runTask(task);
            awake.incrementAndGet();
            return true;
        }
        if (openLoops.get() == 0) {
            return false;
        }
        boolean worked = false;
        for (int i = 0; i < LOOPS; i++) {
            ParallelJob job = loops.get(i);
            if (job != null) {
                worked |= job.help(scratch, worker);
            }
        }
        return worked;
    }

    /** Runs a task and reports what it throws, so that the worker survives. */
    private static void runTask(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
        }
    }

    private final class Worker implements Runnable {
        private final int number;
        private final Scratch scratch = new Scratch();
        private final AtomicBoolean idle = new AtomicBoolean(true);
        private volatile @Nullable Thread thread;
        /** The time of the next trim of its arrays, which happens only between pieces of work. */
        private long nextTrim;

        Worker(int number) {
            this.number = number;
        }

        /**
         * Makes an idle worker look for work; returns false where it is busy and looks by itself, or cannot be started.
         */
        boolean wake() {
            // it is marked awake before its thread starts, which else could find nothing and park before it was marked
            if (!idle.get() || !rise()) {
                return false;
            }
            Thread running = thread;
            if (running == null) {
                running = start();
            }
            if (running == null) {
                lieDown();
                return false;
            }
            LockSupport.unpark(running);
            return true;
        }

        /** Starts the worker's thread and returns it; null where the system has none. */
        private synchronized @Nullable Thread start() {
            if (thread == null && !closed) {
                try {
                    thread = Thread.ofPlatform()
                            .name("millrace-worker-" + number)
                            .daemon(true)
                            .start(this);
                } catch (OutOfMemoryError noThread) {
                    return null;
                }
            }
            return thread;
        }

        @Override
        public void run() {
            long lastWork = System.nanoTime();
            nextTrim = lastWork + keepNanos;
            while (true) {
                if (workOnce(scratch, number)) {
                    lastWork = System.nanoTime();
                    trimInTime(lastWork);
                    continue;
                }
                if (!closed && System.nanoTime() - lastWork < SPIN_NANOS) {
                    for (int i = 0; i < SPINS_PER_LOOK; i++) {
                        Thread.onSpinWait();
                    }
                    continue;
                }
                lieDown();
                // work published before we were seen idle is found here, work published after wakes us
                if (workOnce(scratch, number)) {
                    rise();
                    lastWork = System.nanoTime();
                    continue;
                }
                if (closed) {
                    return;
                }
                rest();
                lastWork = System.nanoTime();
            }
        }

        /**
         * Marks the worker as asleep. It leaves the count before others can wake it: counted twice in between, it would
         * stand for a worker that sleeps.
         */
        private void lieDown() {
            awake.decrementAndGet();
            idle.set(true);
        }

        /** Marks the worker as awake; returns false where it is awake already. */
        private boolean rise() {
            boolean slept = idle.compareAndSet(true, false);
            if (slept) {
                awake.incrementAndGet();
            }
            return slept;
        }

        /** Parks until there is work, and trims arrays in between. */
        private void rest() {
            // the second trim of a long park finds that nothing was requested since the first
            int trims = 2;
            while (idle.get() && !closed) {
                // interrupts mean nothing to a worker, and parking returns at once while the flag is set
                Thread.interrupted();
                long now = System.nanoTime();
                if (trims == 0) {
                    LockSupport.park(WorkerPool.this);
                } else if (trimInTime(now)) {
                    trims--;
                } else {
                    LockSupport.parkNanos(WorkerPool.this, nextTrim - now);
                }
            }
        }

        /** Trims arrays if it is time; returns whether it was. */
        private boolean trimInTime(long now) {
            if (nextTrim - now > 0) {
                return false;
            }
            scratch.trim();
            nextTrim = now + keepNanos;
            return true;
        }
    }
}
