package dev.millrace.session.stream;

import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;

/** Something to be done later, on a thread of the engine. */
public abstract class Job implements Runnable {
    /** Higher priorities first, then as they came. */
    static final Comparator<Job> ORDER = new Order();

    /** A class of its own is not linked when the first engine is made. */
    private static final class Order implements Comparator<Job> {
        @Override
        public int compare(Job one, Job other) {
            int higherFirst = Integer.compare(other.priority, one.priority);
            return higherFirst != 0 ? higherFirst : Long.compare(one.number, other.number);
        }
    }

    private final int priority;
    /** The number of those who work on it: the thread that runs it, and a device where it {@link #goesOn()}. */
    private final AtomicInteger workers = new AtomicInteger(1);

    /** The place in a queue, given with {@link RunQueue#add}. */
    long number;

    protected Job(int priority) {
        this.priority = priority;
    }

    /** Says, while it runs, that its work goes on without a thread when {@link #run()} returns. */
    protected final void goesOn() {
        workers.incrementAndGet();
    }

    /** Says that somebody works on it no longer; returns whether it is over. */
    final boolean isLeftByLast() {
        return workers.decrementAndGet() == 0;
    }
}
