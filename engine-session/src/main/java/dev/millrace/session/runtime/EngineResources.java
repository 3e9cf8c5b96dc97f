package dev.millrace.session.runtime;

import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.DeviceStreams;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.RequestListener;
import dev.millrace.session.prepare.Environment;
import dev.millrace.session.prepare.Factories;
import dev.millrace.session.prepare.SharedConstants;
import dev.millrace.session.stream.RunThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Threads, memory, providers and names that an engine's sessions and compilers share. Closed with the engine. */
final class EngineResources implements AutoCloseable {
    private final WorkerPool pool;
    private final @Nullable RequestListener requestListener;
    private final Environment environment;
    private final PlatformNotice notice;
    private final FactoryUse factoryUse;
    private final RunThreads runs;
    private final IdleMemory idleMemory;
    private final DeviceServices devices;
    private final OpenSessions sessions = new OpenSessions();
    private final Executor later = DelayedTasks.after(5, TimeUnit.SECONDS);
    private final AtomicBoolean closed = new AtomicBoolean();

    EngineResources(EngineOptions options, Factories factories) {
        int threads = options.effectiveThreads();
        requestListener = options.requestListener();
        idleMemory = new IdleMemory(options.memoryBudget());
        pool = new WorkerPool(threads - 1);
        runs = new RunThreads(threads);
        devices = DeviceServices.of(
                new EngineThreads(runs),
                new DeviceStreams(),
                DeviceArena.Options.DEFAULT.withLimit(options.deviceMemory()));
        factoryUse = new FactoryUse(factories, devices);
        notice = new PlatformNotice(factories, threads);
        environment = new Environment(
                factories, options.hardware(), new Workspaces(), new SharedConstants(), threads, notice::tell);
    }

    OpenSessions sessions() {
        return sessions;
    }

    int threads() {
        return environment.threads();
    }

    /** The environment in which all of the engine's models are built. */
    Environment environment() {
        return environment;
    }

    PlatformNotice notice() {
        return notice;
    }

    FactoryUse factoryUse() {
        return factoryUse;
    }

    WorkerPool pool() {
        return pool;
    }

    RunThreads runs() {
        return runs;
    }

    IdleMemory idleMemory() {
        return idleMemory;
    }

    /** Services that runs on devices share. */
    DeviceServices devices() {
        return devices;
    }

    /**
     * Runs a task after five seconds, on a shared thread. Memory that two such tasks in a row find unused has
     * been idle for ten seconds at most.
     */
    Executor later() {
        return later;
    }

    @Nullable
    RequestListener requestListener() {
        return requestListener;
    }

    boolean isClosed() {
        return closed.get();
    }

    void checkOpen() {
        if (isClosed()) {
            throw closedException();
        }
    }

    static EngineException closedException() {
        return new EngineException(Status.CLOSED, "this engine is closed");
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            pool.close();
            runs.close();
            environment.workspaces().close();
            factoryUse.end();
        }
    }
}
