package dev.millrace.session.stream;

import java.util.Comparator;

/** Something to be done later, on a thread of the engine. */
public abstract class Job implements Runnable {
    /** Higher priorities first, then as they came. */
    static final Comparator<Job> ORDER =
            Comparator.comparingInt((Job job) -> job.priority).reversed().thenComparingLong(job -> job.number);

    private final int priority;
    /** The place in a queue, given with {@link RunQueue#add}. */
    long number;

    protected Job(int priority) {
        this.priority = priority;
    }
}
