package dev.millrace.session.runtime;

import dev.millrace.scheduler.pool.HostThreads;
import dev.millrace.session.stream.RunThreads;
import java.util.concurrent.RejectedExecutionException;

/**
 * The threads of an engine that do the host's part of runs on devices: those of its asynchronous runs. A thread of a device,
 * which tells of what is done, never does the host's part itself, unless the engine is closed.
 */
record EngineThreads(RunThreads runs) implements HostThreads {
    @Override
    public void execute(Runnable task) {
        try {
            runs.execute(task);
        } catch (RejectedExecutionException closed) {
            task.run();
        }
    }

    /** Virtual threads: a nested graph whose nodes run on a device waits for them in the middle of a kernel. */
    @Override
    public HostThreads forWaits() {
        return Thread::startVirtualThread;
    }
}
