package dev.millrace.session.stream;

import java.util.Comparator;

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
    /** The place in a queue, given with {@link RunQueue#add}. */
    long number;

    protected Job(int priority) {
        this.priority = priority;
    }
}
