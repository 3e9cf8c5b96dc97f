package dev.millrace.session.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What one session wants done, and how much of the threads it has had. All of it is guarded by the threads' lock. */
public final class RunQueue {
    private final RunThreads threads;
    final int limit;
    private final int weight;
    private final int maxConcurrent;
    private final TreeSet<Job> jobs = new TreeSet<>(Job.ORDER);
    private final List<Job> running = new ArrayList<>();
    /** The time that it had on threads, by its weight: who had least is next. */
    private double had;
    /** What the next run is expected to take: it is charged before it runs, and put right after. */
    private double expected;

    RunQueue(RunThreads threads, int limit, int weight, int maxConcurrent) {
        this.threads = threads;
        this.limit = limit;
        this.weight = weight;
        this.maxConcurrent = maxConcurrent;
    }

    /** Has a job done, or throws: OVERLOADED where too many wait, CLOSED where nothing is done any more. */
    public void add(Job job) {
        threads.add(this, job);
    }

    /**
     * Has a job done on this thread, where none of this queue waits or is under way, a thread is to be had for it, and jobs of
     * this queue have been short. False where that is not so: it has to be added.
     */
    public boolean run(Job job) {
        return threads.run(this, job);
    }

    /** Takes a job back. False where it is under way or was done. */
    public boolean remove(Job job) {
        return threads.remove(this, job);
    }

    /** Takes back all that wait. */
    public List<Job> removeAll() {
        return threads.removeAll(this);
    }

    /** The jobs that are under way. */
    public List<Job> underWay() {
        return threads.underWay(this);
    }

    /** How many jobs may wait. */
    public int limit() {
        return limit;
    }

    /** How many jobs wait. */
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

    /** Puts a job into its place. Who was idle does not catch up on the time in which it wanted nothing. */
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

    void ended(Job job, double charged, double nanos) {
        running.remove(job);
        had += (nanos - charged) / weight;
        expected = expected == 0 ? nanos : expected * 0.75 + nanos * 0.25;
    }

    double expected() {
        return expected;
    }
}
