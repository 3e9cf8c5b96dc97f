package dev.millrace.session.util;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Waits for locks, by threads that can be told to stop waiting. */
public final class Locks {
    private static final long LOOK_MILLIS = 10;

    private Locks() {}

    /**
     * Takes a lock. An interrupt does not end the wait and stays set.
     *
     * @param check is called every few milliseconds of a wait, and ends it by throwing
     */
    public static void lock(ReentrantLock lock, Runnable check) {
        if (lock.tryLock()) {
            return;
        }
        boolean interrupted = false;
        try {
            boolean taken = false;
            while (!taken) {
                check.run();
                try {
                    taken = lock.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
