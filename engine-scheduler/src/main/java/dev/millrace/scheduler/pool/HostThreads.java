package dev.millrace.scheduler.pool;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/** The threads that do the host's part of runs on devices, and the way in which a thread waits for such a run. */
public interface HostThreads extends Executor {
    /** Returns the workers of a pool as such threads. */
    static HostThreads of(WorkerPool pool) {
        return new HostThreads() {
            @Override
            public void execute(Runnable task) {
                pool.execute(task);
            }

            @Override
            public void park(Object waitsFor) {
                LockSupport.park(waitsFor);
            }

            @Override
            public void unpark(Thread thread) {
                LockSupport.unpark(thread);
            }
        };
    }

    /** Runs a task soon, and on another thread where there is one. */
    @Override
    void execute(Runnable task);

    /** Waits until {@link #unpark} is called for this thread, which may have been called before. May return early. */
    void park(Object waitsFor);

    /** Ends the present or the next wait of a thread. */
    void unpark(Thread thread);
}
