package dev.millrace.scheduler.pool;

import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers of the process: daemon threads that join parallel loops and run stream tasks, and park when there is
 * neither. The caller of a loop always works itself, so a pool without workers is a serial one, and no number of callers
 * makes more threads.
 */
public final class WorkerPool implements Executor, AutoCloseable {
    private static final int LOOPS = 64;
    /** How long a worker looks for more before it parks: loops of one run follow each other within microseconds. */
    private static final long SPIN_NANOS = 50_000;

    private static final int SPINS_PER_LOOK = 8;
    /** What a thread has to do of a loop to be woken for it: that takes its caller up to 10 microseconds, and itself as long. */
    private static final long WORTH_NANOS = 20_000;
    /** How long somebody who is told of an answer is taken for one who has a processor. */
    private static final long TELL_NANOS = 200_000;
    /** The time between two looks of a worker at its arrays: what is not used from one to the next but one is dropped. */
    private static final long KEEP_NANOS = 5_000_000_000L;

    private final long keepNanos;
    private final Worker[] workers;
    private final AtomicReferenceArray<@Nullable ParallelJob> loops = new AtomicReferenceArray<>(LOOPS);
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** How many places of {@link #loops} hold one. */
    private final AtomicInteger openLoops = new AtomicInteger();

    /** Workers that look for work, or help with a loop. */
    private final AtomicInteger awake = new AtomicInteger();

    /** Runs under way. Each has a thread of its own, whose processor helps no other one. */
    private final AtomicInteger runs = new AtomicInteger();

    /** Threads on which somebody is being told of an answer. */
    private final AtomicInteger tellers = new AtomicInteger();
    /** When the last one began with it. */
    private volatile long lastTold;

    private volatile boolean closed;

    /** A pool with this many threads beside the callers'. They start when first needed. */
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

    /** A pool as wide as the processors that the container allows, counting one caller. */
    public static WorkerPool forThisMachine() {
        return new WorkerPool(Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
    }

    /** How many threads can work on one loop: the workers and the caller. */
    public int parallelism() {
        return workers.length + 1;
    }

    /** A run begins on this thread, and ends with {@link #runEnds()}: loops of other runs get one helper fewer. */
    public void runBegins() {
        runs.incrementAndGet();
    }

    public void runEnds() {
        runs.decrementAndGet();
    }

    /** Somebody is told of a run's answer on this thread, until {@link #tellEnds()}: at first it counts as the run did. */
    public void tellBegins() {
        lastTold = System.nanoTime();
        tellers.incrementAndGet();
    }

    public void tellEnds() {
        tellers.decrementAndGet();
    }

    /**
     * Those who have a processor and are about to run on it again. Who takes long is asleep, or the system lets it wait: the one
     * whom it told has asked for the next run already, and has that thread's processor.
     */
    private int telling() {
        int count = tellers.get();
        return count > 0 && System.nanoTime() - lastTold > TELL_NANOS ? 0 : count;
    }

    /** How many workers may help with a loop: the others would take processors from runs. */
    private int free() {
        return workers.length - Math.max(0, runs.get() + telling() - 1);
    }

    /**
     * Runs {@code task} over {@code [0, items)} on this thread and on at most {@code threads - 1} workers, fewer where other
     * runs are under way, and looks at cancellation every few milliseconds. A range is {@code grain} items or more, unless items turn out to be slow.
     * Allocates nothing. {@code job} is the caller's, for one loop at a time.
     *
     * @param nanos what all of it takes one thread, or more where nobody knows; it decides how many workers are woken
     */
    public void parallelFor(
            ParallelJob job,
            int threads,
            long items,
            long grain,
            RangeTask task,
            long nanos,
            LaunchContext context,
            Scratch scratch) {
        if (items <= 0) {
            return;
        }
        int helpers = Math.min(Math.min(threads - 1, free()), (int) Math.min(64, (items - 1) / grain));
        int up = awake.get();
        int wanted = helpers <= 0 ? 0 : up + toWake(job, helpers, up, nanos);
        if (wanted == 0 || closed) {
            PacedRange.run(task, context, 0, items, grain, scratch);
            return;
        }
        long chunk = Math.max(grain, Math.ceilDiv(items, 4L * (helpers + 1)));
        job.open(task, context, items, grain, chunk, helpers);
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

    /** Lets workers find a loop. Negative where there are too many: its owner does it alone. */
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
     * How many workers are woken for a loop. Where no other run is under way, those that are awake come by themselves.
     *
     * @param up how many are awake
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
            // the workers may have ended just now, or the system has no thread for them
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
     * Wakes workers until so many are awake. Who was awake when they were counted and has gone to sleep since either saw the loop
     * on his way or is missed here, because the loop could be seen before.
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

    /** Lets the workers end once they are idle. Loops and tasks that come later run on their caller. */
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

    /** A worker outlives what its tasks throw. */
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
        /** When it looks at its arrays, where it is not in the midst of work. */
        private long nextTrim;

        Worker(int number) {
            this.number = number;
        }

        /** Makes an idle worker look for work; false where it was busy and will look by itself, or cannot be started. */
        boolean wake() {
            // it rises before it has a thread, which else could find nothing and go to sleep before it was up
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

        /** The worker's thread, null where there is none for it. */
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

        private void lieDown() {
            idle.set(true);
            awake.decrementAndGet();
        }

        /** False where it is awake already. */
        private boolean rise() {
            boolean slept = idle.compareAndSet(true, false);
            if (slept) {
                awake.incrementAndGet();
            }
            return slept;
        }

        /** Parks until there is work. Rests between works are many, so arrays are looked at in time while the pool is busy, too. */
        private void rest() {
            // the second trim of a long rest finds that nothing was asked for since the first
            int trims = 2;
            while (idle.get() && !closed) {
                // an interrupt asks a worker for nothing, and parking returns at once while the flag is set
                Thread.interrupted();
                long left = nextTrim - System.nanoTime();
                if (trims == 0) {
                    LockSupport.park(WorkerPool.this);
                } else if (left > 0) {
                    LockSupport.parkNanos(WorkerPool.this, left);
                } else {
                    scratch.trim();
                    trims--;
                    nextTrim = System.nanoTime() + keepNanos;
                }
            }
        }
    }
}
