package dev.millrace.scheduler.run;

import dev.millrace.scheduler.pool.HostThreads;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one run that are ready for a thread of the host. A thread that works for the run takes the next task when
 * it has done one; a thread that waits for the run does them, and other threads are asked for where neither is enough.
 */
final class RunTasks {
    private final HostThreads threads;
    private final Queue<Runnable> ready = new ConcurrentLinkedQueue<>();
    /** The thread that waits for the run; null where it does a task, or none waits. */
    private volatile @Nullable Thread waiting;

    RunTasks(HostThreads threads) {
        this.threads = threads;
    }

    /** Adds a task for this thread, which is about to take it. */
    void addForThisThread(Runnable task) {
        ready.add(task);
    }

    /** Adds a task for any thread, and sees to it that one takes it. */
    void add(Runnable task) {
        ready.add(task);
        wake();
    }

    /** Sees to it that a thread takes the tasks that are there, or looks whether the run is over. */
    void wake() {
        Thread caller = waiting;
        if (caller != null) {
            threads.unpark(caller);
        } else if (!ready.isEmpty()) {
            threads.execute(this::work);
        }
    }

    /** Does the tasks that are there. */
    void work() {
        for (Runnable task = ready.poll(); task != null; task = ready.poll()) {
            task.run();
        }
    }

    /** Does tasks on this thread until the run is over. Interrupts mean nothing to a run, and are kept for the caller. */
    void workUntil(BooleanSupplier isOver) {
        boolean interrupted = false;
        while (!isOver.getAsBoolean()) {
            // set before it looks for a task, so that who adds one meanwhile asks no other thread
            waiting = Thread.currentThread();
            Runnable task = ready.poll();
            if (task != null) {
                waiting = null;
                task.run();
            } else if (!isOver.getAsBoolean()) {
                threads.park(this);
                // parking returns at once while the flag is set
                interrupted |= Thread.interrupted();
            }
        }
        waiting = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
