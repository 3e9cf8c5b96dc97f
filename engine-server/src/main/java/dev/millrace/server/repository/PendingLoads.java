package dev.millrace.server.repository;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The loads that wait for files, at most one of each model. Each waits on a thread of its own, so that a slow source keeps no
 * other model waiting. Methods that begin, end or finish a load are called with the lock of the repository's changes.
 */
final class PendingLoads implements AutoCloseable {
    private final Map<String, PendingLoad> loads = new ConcurrentHashMap<>();
    private final ExecutorService threads;

    PendingLoads() {
        threads = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("millrace-fetch-", 0).factory());
    }

    @Nullable
    PendingLoad find(String model) {
        return loads.get(model);
    }

    /** Begins a load; {@code run} fetches its files and finishes it. */
    void begin(PendingLoad load, Consumer<PendingLoad> run) {
        loads.put(load.name(), load);
        load.runsAs(threads.submit(() -> run.accept(load)));
    }

    /** Does something else that takes long on a thread of its own. */
    CompletableFuture<Void> run(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    /** Ends the load of a model; false if there is none. */
    boolean end(String model, String reason) {
        PendingLoad load = loads.remove(model);
        if (load != null) {
            load.end(reason);
        }
        return load != null;
    }

    /** Takes a load off the list; false if it was ended. */
    boolean finish(PendingLoad load) {
        return loads.remove(load.name(), load);
    }

    @Override
    public void close() {
        loads.keySet().forEach(each -> end(each, "the server is closed"));
        threads.shutdownNow();
    }
}
