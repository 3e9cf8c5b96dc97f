package dev.millrace.session.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Executors that run tasks after a delay, on threads that the JDK shares. The JDK starts one of these threads with the first such task,
 * and keeps it as long as the process lasts. A thread inherits the context class loader of the one that starts it, so tasks are handed
 * over with the system's class loader: the loader of a redeployed application would be kept for good.
 */
final class DelayedTasks {
    private DelayedTasks() {}

    /** Returns an executor that runs each task after a delay. */
    static Executor after(long delay, TimeUnit unit) {
        Executor shared = CompletableFuture.delayedExecutor(delay, unit);
        return task -> {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
            try {
                shared.execute(task);
            } finally {
                thread.setContextClassLoader(before);
            }
        };
    }
}
