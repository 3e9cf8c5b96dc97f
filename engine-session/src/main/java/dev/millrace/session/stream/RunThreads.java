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
 * The threads that run asynchronous requests; they end when idle for a while. Each session has a queue, and the queue
 * that has had the least time for its weight is served next (weighted fair queueing). As many jobs run as can make use
 * of threads. Beyond that, up to twice as many, only queues without a running job are served: a heavy session takes all
 * threads and still makes no other wait for its end.
 */
public final class RunThreads implements Executor, AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * The expected time up to which a waiting caller may run a job itself. A thread that waits for a longer one can
     * leave it at any time, by an interrupt.
     */
    private static final double SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int SPINS = 200;

    private final int width;
    private final AtomicInteger names = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    /** The queues with jobs that wait or run. */
    private final List<RunQueue> active = new ArrayList<>();

    private final RunQueue tasks = queue(Integer.MAX_VALUE, 1, Integer.MAX_VALUE);
    private double leastHad;
    /** The number of the next job. Numbers start at 1, so that a job which was never added equals no other. */
    private long numbers = 1;

    private int running;
    private int live;
    private int idle;
    /** The number of idle threads that were signalled and have not woken yet. */
    private int called;

    private boolean closed;

    public RunThreads(int width) {
        this.width = width;
    }

    /**
     * Returns a new queue for a session.
     *
     * @param limit the number of jobs that may wait
     * @param weight the queue's share of the threads, relative to a queue of weight 1
     * @param maxConcurrent the number of its jobs that may be under way
     */
    public RunQueue queue(int limit, int weight, int maxConcurrent) {
        return new RunQueue(this, limit, weight, maxConcurrent);
    }

    /** A thread on which callers may not block: other runs need it. */
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

    /** Whether the current thread is one of these, for which other runs may be waiting. */
    public boolean isOwnThread() {
        return Thread.currentThread() instanceof RunThread own && own.isOf(this);
    }

    /** Executes a task that is no run. It waits for its turn as the runs of a session of weight 1 do. */
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

    /** Takes the lock, spinning first: a holder is done within a microsecond, whereas parking and waking take fifty. */
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

    /**
     * Wakes or starts a thread to look for work. Returns the reason if none will; threads that
     * run a job look when it has ended.
     */
    private @Nullable OutOfMemoryError call() {
        if (idle > called) {
            called++;
            work.signal();
            return null;
        }
        if (live == 2 * width) {
            // one of them is about to look for work
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

    /**
     * Runs a job on the calling thread, in the place of a pool thread, if the queue is idle and
     * its jobs have been short.
     */
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
            if (job.isLeftByLast()) {
                queue.ended(job, charged, nanos);
                forget(queue);
            } else {
                queue.charged(charged);
            }
        }
    }

    /** Ends a job that went on without a thread. Jobs that waited for it to end may run now. */
    void ended(RunQueue queue, Job job, long nanos) {
        if (!job.isLeftByLast()) {
            return;
        }
        enter();
        try {
            queue.ended(job, 0, nanos);
            forget(queue);
            if (isEligible(queue)) {
                call();
            }
        } finally {
            lock.unlock();
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

    /** Waits for work. Returns false if there was none for long, or the threads are closed. */
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
            // nobody has a reason to interrupt it: it looks for work, and waits again
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

    /** Lets accepted jobs finish, and refuses new ones. */
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
