package dev.millrace.session.stream;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** One thing at a time, in the order in which they came, for those who wait and those who do not. */
public final class Turns {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition free = lock.newCondition();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private boolean taken;
    /** Threads that wait go in between those that do not. */
    private int blocked;

    /** Waits for the turn, which {@link #give} ends. */
    public void take() {
        lock.lock();
        try {
            blocked++;
            while (taken) {
                free.awaitUninterruptibly();
            }
            blocked--;
            taken = true;
        } finally {
            lock.unlock();
        }
    }

    public void give() {
        Waiting next;
        lock.lock();
        try {
            next = blocked > 0 ? null : waiting.poll();
            taken = next != null;
            if (next == null) {
                free.signal();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.begin();
        }
    }

    public boolean isTaken() {
        lock.lock();
        try {
            return taken || !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins something as soon as it is its turn, now or on the thread that gives the turn away.
     *
     * @param begins is given what ends the turn, and returns what stops it
     * @param dropped is called instead, where it was stopped before its turn
     */
    public Disposable later(Function<Runnable, Disposable> begins, Runnable dropped) {
        var later = new Waiting(begins, dropped);
        lock.lock();
        try {
            if (taken || !waiting.isEmpty()) {
                waiting.add(later);
                return later;
            }
            taken = true;
        } finally {
            lock.unlock();
        }
        later.begin();
        return later;
    }

    private final class Waiting implements Disposable {
        private final Function<Runnable, Disposable> begins;
        private final Runnable dropped;
        private volatile @Nullable Disposable begun;
        private volatile boolean stopped;

        Waiting(Function<Runnable, Disposable> begins, Runnable dropped) {
            this.begins = begins;
            this.dropped = dropped;
        }

        void begin() {
            Disposable under = begins.apply(Turns.this::give);
            begun = under;
            if (stopped) {
                under.dispose();
            }
        }

        @Override
        public void dispose() {
            stopped = true;
            boolean removed;
            lock.lock();
            try {
                removed = waiting.remove(this);
            } finally {
                lock.unlock();
            }
            Disposable under = begun;
            if (removed) {
                dropped.run();
            } else if (under != null) {
                under.dispose();
            }
        }
    }
}
