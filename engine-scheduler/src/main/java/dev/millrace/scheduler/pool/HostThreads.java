package dev.millrace.scheduler.pool;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/** The threads that do the host's part of runs on devices, and the way in which a thread waits for such a run. */
@FunctionalInterface
public interface HostThreads extends Executor {
    /** Returns the workers of a pool as such threads. */
    static HostThreads of(WorkerPool pool) {
        return pool::execute;
    }

    /** Runs a task soon, and on another thread where there is one. */
    @Override
    void execute(Runnable task);

    /** Returns threads for tasks that wait for devices: threads that cost little while they wait, where there are such. */
    default HostThreads forWaits() {
        return this;
    }

    /** Waits until {@link #unpark} is called for this thread, which may have been called before. May return early. */
    default void park(Object waitsFor) {
        LockSupport.park(waitsFor);
    }

    /** Ends the present or the next wait of a thread. */
    default void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }
}
