package dev.millrace.session.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one session's jobs, with the thread time that it has used. Guarded by the lock of {@link RunThreads}.
 */
public final class RunQueue {
    private final RunThreads threads;
    final int limit;
    private final int weight;
    private final int maxConcurrent;
    private final TreeSet<Job> jobs = new TreeSet<>(Job.ORDER);
    private final List<Job> running = new ArrayList<>();
    /** The thread time used so far, divided by the weight: the queue with the least is served next. */
    private double had;
    /** The expected nanoseconds of the next run. They are charged before it runs, and corrected after. */
    private double expected;

    RunQueue(RunThreads threads, int limit, int weight, int maxConcurrent) {
        this.threads = threads;
        this.limit = limit;
        this.weight = weight;
        this.maxConcurrent = maxConcurrent;
    }

    /** Queues a job, or throws: OVERLOADED if the queue is full, CLOSED if the threads are closed. */
    public void add(Job job) {
        threads.add(this, job);
    }

    /**
     * Runs a job on the calling thread, if no job of this queue waits or is under way, a thread's place is free for it,
     * and jobs of this queue have been short. Returns false otherwise: the job has to be added.
     */
    public boolean run(Job job) {
        return threads.run(this, job);
    }

    /**
     * Ends a job whose work went on without a thread.
     *
     * @param nanos the time that it took, which is the device's
     */
    public void ended(Job job, long nanos) {
        threads.ended(this, job, nanos);
    }

    /** Removes a waiting job. Returns false if it is under way or done. */
    public boolean remove(Job job) {
        return threads.remove(this, job);
    }

    /** Removes and returns all waiting jobs. */
    public List<Job> removeAll() {
        return threads.removeAll(this);
    }

    /** The jobs that are under way. */
    public List<Job> underWay() {
        return threads.underWay(this);
    }

    /** The number of jobs that may wait. */
    public int limit() {
        return limit;
    }

    /** The number of jobs that wait. */
    public int waiting() {
        return threads.waiting(this);
    }

    /** Whether no job waits or is under way. */
    public boolean isAtRest() {
        return threads.isAtRest(this);
    }

    boolean isFull() {
        return jobs.size() >= limit;
    }

    boolean isIdle() {
        return jobs.isEmpty() && running.isEmpty();
    }

    int size() {
        return jobs.size();
    }

    boolean isRunning() {
        return !running.isEmpty();
    }

    boolean isReady() {
        return !jobs.isEmpty() && running.size() < maxConcurrent;
    }

    double had() {
        return had;
    }

    List<Job> runningJobs() {
        return List.copyOf(running);
    }

    /** Inserts a job. A queue that was idle does not catch up on the time in which it had no jobs. */
    void put(Job job, double leastHad) {
        if (isIdle()) {
            had = Math.max(had, leastHad);
        }
        jobs.add(job);
    }

    boolean drop(Job job) {
        return jobs.remove(job);
    }

    List<Job> dropAll() {
        List<Job> all = List.copyOf(jobs);
        jobs.clear();
        return all;
    }

    @Nullable
    Job next() {
        Job job = jobs.pollFirst();
        if (job != null) {
            running.add(job);
            had += expected / weight;
        }
        return job;
    }

    /** Takes back what a job was charged for that goes on without a thread; it is charged when it ends. */
    void charged(double charge) {
        had -= charge / weight;
    }

    void ended(Job job, double charged, double nanos) {
        running.remove(job);
        had += (nanos - charged) / weight;
        expected = expected == 0 ? nanos : expected * 0.75 + nanos * 0.25;
    }

    double expected() {
        return expected;
    }
}
