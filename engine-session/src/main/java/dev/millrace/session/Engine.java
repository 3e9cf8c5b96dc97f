package dev.millrace.session;

import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.scheduler.event.FlightRecording;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.pool.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Makes sessions and owns what they share: the worker threads, the providers and what those have loaded. One per process
 * is the rule. Thread-safe. Sessions outlive a closed engine for as long as they are open; new ones are refused.
 */
public final class Engine implements AutoCloseable {
    /** Providers that are faster where they can do something come first; the plain one, which can do all, last. */
    private static final String PLAIN = "cpu";

    private final WorkerPool pool;
    private final int threads;
    private final Map<String, ProviderFactory> factories;
    private final Workspaces workspaces = new Workspaces();
    private final RunExecutor runs;
    private volatile boolean closed;

    private Engine(EngineOptions options) {
        threads = options.effectiveThreads();
        pool = new WorkerPool(threads - 1);
        runs = new RunExecutor(threads);
        factories = new LinkedHashMap<>();
        var found = new ArrayList<ProviderFactory>();
        ServiceLoader.load(ProviderFactory.class, Engine.class.getClassLoader()).forEach(found::add);
        found.sort(
                Comparator.comparing((ProviderFactory factory) -> factory.name().equals(PLAIN))
                        .thenComparing(ProviderFactory::name, Comparator.reverseOrder()));
        found.forEach(factory -> factories.put(factory.name(), factory));
    }

    public static Engine create() {
        return create(EngineOptions.defaults());
    }

    public static Engine create(EngineOptions options) {
        return new Engine(options);
    }

    /** A session of a model file with all defaults: every provider, all optimisations. */
    public Session session(Path model) {
        return session(model, SessionOptions.defaults());
    }

    public Session session(Path model, SessionOptions options) {
        return new SessionBuilder(this, options).fromFile(model);
    }

    /** A session of a model in memory, which stays as it is while the session is open. */
    public Session session(MemorySegment model, SessionOptions options) {
        return new SessionBuilder(this, options).fromMemory(model);
    }

    /** A session of a model in an array, which is copied. */
    public Session session(byte[] model, SessionOptions options) {
        MemorySegment copy =
                Arena.ofAuto().allocate(Math.max(1, model.length), 64).asSlice(0, model.length);
        copy.copyFrom(MemorySegment.ofArray(model));
        return session(copy, options);
    }

    /** The providers that were found, in the order in which they are asked by default. */
    public List<String> providers() {
        return List.copyOf(factories.keySet());
    }

    /** How many threads can work on one run. */
    public int threads() {
        return threads;
    }

    ProviderFactory factory(String name) {
        ProviderFactory factory = factories.get(name);
        if (factory == null) {
            throw EngineException.invalidArgument(
                    "there is no provider '" + name + "'; those on the class path are " + factories.keySet());
        }
        return factory;
    }

    WorkerPool pool() {
        return pool;
    }

    Workspaces workspaces() {
        return workspaces;
    }

    Executor runs() {
        return runs;
    }

    /** What hears of runs while a flight recording is on, null while none is. */
    @Nullable
    RunListener flightRecorder() {
        return FlightRecording.listenerIfOn();
    }

    void checkOpen() {
        if (closed) {
            throw new EngineException(Status.INVALID_ARGUMENT, "this engine is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
        runs.close();
        factories.values().forEach(ProviderFactory::close);
    }
}
