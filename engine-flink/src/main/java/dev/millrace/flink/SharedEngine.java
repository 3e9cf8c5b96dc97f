package dev.millrace.flink;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.BatchReport;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * The engine of this process and its models. The first task that opens a model creates the engine, and the last one that closes
 * its model closes it. Thread-safe.
 */
final class SharedEngine {
    private static final Object LOCK = new Object();
    /** Guarded by {@link #LOCK}. */
    private static @Nullable SharedEngine current;

    private final int threads;
    private final long memoryBudget;
    private final Engine engine;
    private final Map<ModelKey, SharedModel> models = new HashMap<>();
    private final Map<String, ModelCounters> counters = new ConcurrentHashMap<>();

    private SharedEngine(ModelSettings settings) {
        threads = settings.threads();
        memoryBudget = settings.memoryBudget();
        EngineOptions.Builder options = EngineOptions.builder().requestListener(listener());
        if (threads > 0) {
            options.threads(threads);
        }
        if (memoryBudget > 0) {
            options.memoryBudget(memoryBudget);
        }
        engine = Engine.create(options.build());
    }

    private RequestListener listener() {
        return new RequestListener() {
            @Override
            public void ended(RequestReport run) {
                tell(run.of().name(), each -> each.ended(run));
            }

            @Override
            public void batchEnded(BatchReport batch) {
                tell(batch.of().name(), each -> each.batchEnded(batch));
            }
        };
    }

    private void tell(String name, Consumer<ModelCounters> what) {
        ModelCounters found = counters.get(name);
        if (found != null) {
            what.accept(found);
        }
    }

    /**
     * Opens a model, or shares the open one of the same contents and settings.
     *
     * @param file the model's file on this machine
     */
    static ModelLease open(ModelSettings settings, Path file) {
        String digest = ModelFile.digest(file);
        if (settings.digest() != null && !settings.digest().equalsIgnoreCase(digest)) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT,
                    "the model " + file + " has the SHA-256 " + digest + "; the job wants " + settings.digest());
        }
        ModelKey key = ModelKey.of(ModelFile.contents(file, digest), settings);
        synchronized (LOCK) {
            return outsideOfUserCode(() -> {
                SharedEngine engine = current == null ? new SharedEngine(settings) : current;
                current = engine;
                try {
                    engine.check(settings);
                    return engine.lease(key, file, settings);
                } finally {
                    engine.closeIfUnused();
                }
            });
        }
    }

    private void check(ModelSettings settings) {
        if (settings.threads() > 0 && settings.threads() != threads
                || settings.memoryBudget() > 0 && settings.memoryBudget() != memoryBudget) {
            throw EngineException.invalidArgument("the engine of this process has threads=" + threads
                    + " and memory-budget=" + memoryBudget + " (0 is the default), and model " + settings.model()
                    + " asks for threads=" + settings.threads() + " and memory-budget=" + settings.memoryBudget()
                    + "; models of one task manager name the same values or none");
        }
    }

    private ModelLease lease(ModelKey key, Path file, ModelSettings settings) {
        SharedModel model = models.get(key);
        if (model == null) {
            String name = stem(file) + "-" + key.digits() + "-" + Integer.toHexString(key.hashCode());
            model = SharedModel.open(engine, file, settings, name);
            models.put(key, model);
            counters.put(model.name(), model.counters());
        }
        model.addUser();
        return new ModelLease(model, () -> close(key));
    }

    private static String stem(Path file) {
        String name = String.valueOf(file.getFileName());
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    private void close(ModelKey key) {
        synchronized (LOCK) {
            SharedModel model = models.get(key);
            if (model != null && model.removeUser()) {
                models.remove(key);
                counters.remove(model.name());
                model.close();
                closeIfUnused();
            }
        }
    }

    /** Closes the engine where it has no model. Its lock is held. */
    private void closeIfUnused() {
        if (!models.isEmpty()) {
            return;
        }
        current = null;
        engine.close();
        ClassLoader own = SharedEngine.class.getClassLoader();
        if (own != ClassLoader.getSystemClassLoader() && own == Schedulers.class.getClassLoader()) {
            // Timers of Reactor in a job's own jar: their threads would keep the job's classes.
            Schedulers.shutdownNow();
        }
    }

    /**
     * Runs a task whose new threads must not inherit the class loader of the job: those that the JDK shares last as long as the
     * process.
     */
    private static <T> T outsideOfUserCode(Supplier<T> task) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        try {
            return task.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Whether this process has an open engine. */
    static boolean isOpen() {
        synchronized (LOCK) {
            return current != null;
        }
    }
}
