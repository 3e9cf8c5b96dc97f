package dev.millrace.session.stream;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads on which asynchronous runs happen: as many as runs can make use of, gone when idle for a while. */
public final class RunExecutor implements Executor, AutoCloseable {
    private final AtomicInteger names = new AtomicInteger();
    private final ThreadLocal<Boolean> own = ThreadLocal.withInitial(() -> false);
    private final ThreadPoolExecutor threads;

    public RunExecutor(int width) {
        threads = new ThreadPoolExecutor(
                width,
                width,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> Thread.ofPlatform()
                        .name("millrace-run-" + names.getAndIncrement())
                        .daemon(true)
                        .unstarted(() -> {
                            own.set(true);
                            task.run();
                        }));
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Whether this is one of its threads, for which other runs may be waiting. */
    public boolean isOwnThread() {
        return own.get();
    }

    /** Lets what was given be done, and takes no more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
