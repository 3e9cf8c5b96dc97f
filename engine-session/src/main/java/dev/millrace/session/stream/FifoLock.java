package dev.millrace.session.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Mutual exclusion in the order of arrival, for threads that block and for tasks that do not. Every turn ends: a task whose
 * beginning throws has had its turn.
 */
public final class FifoLock {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition free = lock.newCondition();
    private final ArrayDeque<Place> waiting = new ArrayDeque<>();
    private boolean taken;
    /** Threads that block get the turn before tasks that wait. */
    private int blocked;

    /**
     * Blocks until it is this thread's turn, which {@link #give} ends. An interrupt does not end the wait and stays set.
     *
     * @param check is called now and then, and ends the wait by throwing
     */
    public void take(Runnable check) {
        boolean interrupted = false;
        lock.lock();
        blocked++;
        try {
            while (taken) {
                check.run();
                try {
                    free.awaitNanos(LOOK_NANOS);
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
            taken = true;
        } finally {
            blocked--;
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the turn of a thread that took it. */
    public void give() {
        begin(next(), new ArrayList<>(0));
    }

    /** The task whose turn it is now, or null where there is none or a thread that blocks goes first. */
    private @Nullable Place next() {
        lock.lock();
        try {
            Place next = blocked > 0 ? null : waiting.poll();
            taken = next != null;
            if (next == null) {
                free.signal();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins a task, and those behind it for as long as each ends while it is begun. What follows their turns comes after, when
     * this thread holds none: it may wait for a turn itself.
     */
    private void begin(@Nullable Place first, List<Runnable> afterwards) {
        Place place = first;
        while (place != null) {
            place = place.begin(afterwards) ? next() : null;
        }
        afterwards.forEach(FifoLock::guarded);
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            uncaught(thrown);
        }
    }

    private static void uncaught(Throwable thrown) {
        Thread self = Thread.currentThread();
        self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
    }

    public boolean isTaken() {
        lock.lock();
        try {
            return taken || !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a thread or a task waits for its turn. */
    public boolean isAwaited() {
        lock.lock();
        try {
            return blocked > 0 && taken || !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins a task as soon as it is its turn, now or on the thread that gives the turn away.
     *
     * @param task is given its place, whose turn it ends, and returns what stops it
     */
    public Place later(Function<Place, Disposable> task) {
        var place = new Place(task);
        lock.lock();
        try {
            if (taken || !waiting.isEmpty()) {
                waiting.add(place);
                return place;
            }
            taken = true;
        } finally {
            lock.unlock();
        }
        begin(place, new ArrayList<>(0));
        return place;
    }

    /** A task's place in the row. */
    public final class Place implements Disposable {
        private final Function<Place, Disposable> task;
        private final Handover handover = new Handover();
        private volatile @Nullable Runnable afterwards;
        private volatile @Nullable Disposable begun;
        private volatile boolean stopped;

        private Place(Function<Place, Disposable> task) {
            this.task = task;
        }

        /** Begins the task. True where its turn is over already. */
        private boolean begin(List<Runnable> told) {
            Disposable under = Disposables.disposed();
            try {
                under = task.apply(this);
            } catch (Throwable thrown) {
                handover.ended();
                uncaught(thrown);
            }
            begun = under;
            if (stopped) {
                under.dispose();
            }
            boolean isOver = handover.begun();
            Runnable after = afterwards;
            if (isOver && after != null) {
                told.add(after);
            }
            return isOver;
        }

        /**
         * Ends the task's turn, once.
         *
         * @param after is called when the turn was given away
         */
        public void end(Runnable after) {
            if (afterwards == null) {
                afterwards = after;
            }
            if (handover.ended()) {
                var told = new ArrayList<Runnable>();
                told.add(after);
                FifoLock.this.begin(next(), told);
            }
        }

        /** Leaves the row. False where the task has had its turn, has it now or has left before. */
        public boolean leave() {
            lock.lock();
            try {
                return waiting.remove(this);
            } finally {
                lock.unlock();
            }
        }

        /** Stops the task, if it has its turn. */
        @Override
        public void dispose() {
            stopped = true;
            Disposable under = begun;
            if (under != null) {
                under.dispose();
            }
        }
    }
}
