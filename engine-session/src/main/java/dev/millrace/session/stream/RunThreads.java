package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;

/**
 * The threads on which asynchronous runs happen, gone when idle for a while. Each session has a queue; the next run is that
 * of the session that has had the least time by its weight. As many run as runs can make use of; beyond that, up to twice
 * as many, only a session of which none runs: so a heavy one takes all threads and still makes nobody wait for its end.
 */
public final class RunThreads implements Executor, AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Who waits for a job that takes no longer may do it itself: a longer one can be left, by an interrupt, at any time. */
    private static final double SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int SPINS = 200;

    private final int width;
    private final AtomicInteger names = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    /** Those with jobs that wait or run. */
    private final List<RunQueue> active = new ArrayList<>();

    private final RunQueue tasks = queue(Integer.MAX_VALUE, 1, Integer.MAX_VALUE);
    private double leastHad;
    /** A job has its number from here on, so that one which was never added is no other. */
    private long numbers = 1;

    private int running;
    private int live;
    private int idle;
    /** Idle threads that were called and are not there yet. */
    private int called;

    private boolean closed;

    public RunThreads(int width) {
        this.width = width;
    }

    /**
     * A session's place among the others.
     *
     * @param limit how many jobs may wait
     * @param weight how much more of the threads it gets than one of weight 1
     * @param maxConcurrent how many of its jobs may be under way
     */
    public RunQueue queue(int limit, int weight, int maxConcurrent) {
        return new RunQueue(this, limit, weight, maxConcurrent);
    }

    /** A thread on which nobody may wait: other runs need it. */
    private final class RunThread extends Thread implements NonBlocking {
        RunThread() {
            super("millrace-run-" + names.getAndIncrement());
            setDaemon(true);
        }

        @Override
        public void run() {
            serve();
        }

        boolean isOf(RunThreads threads) {
            return RunThreads.this == threads;
        }
    }

    /** Whether this is one of its threads, for which other runs may be waiting. */
    public boolean isOwnThread() {
        return Thread.currentThread() instanceof RunThread own && own.isOf(this);
    }

    /** Has something else done than runs. It waits for its turn as the runs of a session of weight 1 do. */
    @Override
    public void execute(Runnable task) {
        try {
            tasks.add(new Task(task));
        } catch (EngineException refused) {
            throw new RejectedExecutionException(refused);
        }
    }

    private static final class Task extends Job {
        private final Runnable task;

        Task(Runnable task) {
            super(0);
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }
    }

    /** Takes the lock. Who has it is done within a microsecond; to park and to be woken takes fifty. */
    private void enter() {
        for (int i = 0; i < SPINS; i++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }

    void add(RunQueue queue, Job job) {
        enter();
        try {
            if (closed) {
                throw new EngineException(Status.CLOSED, "this engine is closed");
            }
            if (queue.isFull()) {
                throw new EngineException(
                        Status.OVERLOADED,
                        queue.limit + " requests wait for this session, which is as many as may: try again later");
            }
            put(queue, job);
            OutOfMemoryError noThread = isEligible(queue) ? call() : null;
            if (noThread != null) {
                queue.drop(job);
                forget(queue);
                throw EngineException.wrap(Status.FAIL, "a thread for a run", noThread);
            }
        } finally {
            lock.unlock();
        }
    }

    private void put(RunQueue queue, Job job) {
        job.number = numbers++;
        boolean wasIdle = queue.isIdle();
        queue.put(job, leastHad);
        if (wasIdle) {
            active.add(queue);
        }
    }

    /** Has a thread look for work. What comes back is why nobody will; those that run a job look when it has ended. */
    private @Nullable OutOfMemoryError call() {
        if (idle > called) {
            called++;
            work.signal();
            return null;
        }
        if (live == 2 * width) {
            // one of them is on its way to look for work
            return null;
        }
        try {
            new RunThread().start();
            live++;
            return null;
        } catch (OutOfMemoryError e) {
            return running == 0 ? e : null;
        }
    }

    /** Does a job on this thread, in the place of one of these, if the queue is idle and its jobs have been short. */
    boolean run(RunQueue queue, Job job) {
        enter();
        try {
            boolean isShort = queue.expected() > 0 && queue.expected() <= SHORT_NANOS;
            if (closed || !isShort || !queue.isIdle() || running >= width) {
                return false;
            }
            put(queue, job);
            serve(queue);
            RunQueue next = nextQueue();
            while (next != null && call() != null) {
                serve(next);
                next = nextQueue();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isEligible(RunQueue queue) {
        return queue.isReady() && (running < width || !queue.isRunning() && running < 2 * width);
    }

    private void serve() {
        enter();
        try {
            while (true) {
                RunQueue queue = nextQueue();
                if (queue != null) {
                    serve(queue);
                } else if (!rest()) {
                    live--;
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void serve(RunQueue queue) {
        double charged = queue.expected();
        Job job = queue.next();
        if (job == null) {
            return;
        }
        running++;
        lock.unlock();
        long start = System.nanoTime();
        try {
            job.run();
        } catch (Throwable thrown) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
        } finally {
            long nanos = System.nanoTime() - start;
            enter();
            running--;
            queue.ended(job, charged, nanos);
            forget(queue);
        }
    }

    private @Nullable RunQueue nextQueue() {
        RunQueue next = null;
        for (int i = 0; i < active.size(); i++) {
            RunQueue queue = active.get(i);
            if (isEligible(queue) && (next == null || queue.had() < next.had())) {
                next = queue;
            }
        }
        if (next != null) {
            leastHad = Math.max(leastHad, next.had());
        }
        return next;
    }

    /** Waits for work. False where there was none for long, or is none any more. */
    private boolean rest() {
        if (closed) {
            return false;
        }
        idle++;
        long left = PATIENCE_NANOS;
        try {
            while (called == 0 && !closed && left > 0) {
                left = work.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            // nobody has a reason to interrupt it: it looks for work, and rests again
            return true;
        } finally {
            idle--;
            if (called > 0) {
                called--;
                left = 1;
            }
        }
        return left > 0;
    }

    private void forget(RunQueue queue) {
        if (queue.isIdle()) {
            active.remove(queue);
        }
    }

    boolean remove(RunQueue queue, Job job) {
        enter();
        try {
            boolean removed = queue.drop(job);
            forget(queue);
            return removed;
        } finally {
            lock.unlock();
        }
    }

    List<Job> removeAll(RunQueue queue) {
        enter();
        try {
            List<Job> removed = queue.dropAll();
            forget(queue);
            return removed;
        } finally {
            lock.unlock();
        }
    }

    List<Job> underWay(RunQueue queue) {
        enter();
        try {
            return queue.runningJobs();
        } finally {
            lock.unlock();
        }
    }

    int waiting(RunQueue queue) {
        enter();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    boolean isAtRest(RunQueue queue) {
        enter();
        try {
            return queue.isIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Lets what was given be done, and takes no more. */
    @Override
    public void close() {
        enter();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
