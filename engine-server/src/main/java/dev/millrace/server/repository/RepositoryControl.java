package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.config.ConfigFile;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Requests to load and unload models, which both protocols make. Each is written to the log, as the audit. */
public final class RepositoryControl {
    /** The beginning of the names of parameters that bring files. */
    public static final String FILE = "file:";

    private static final System.Logger LOG = System.getLogger("dev.millrace.server.audit");

    private final ModelRepository repository;
    private final boolean allowed;
    private final Scheduler blocking;

    /**
     * @param allowed whether requests may load and unload models
     * @param blocking runs what takes long
     */
    public RepositoryControl(ModelRepository repository, boolean allowed, Scheduler blocking) {
        this.repository = repository;
        this.allowed = allowed;
        this.blocking = blocking;
    }

    /**
     * Loads a model.
     *
     * @param config the JSON of its configuration; null for that of its folder
     * @param files the files of the model by their paths below its folder; empty for those that are there
     */
    public Mono<Void> load(String name, @Nullable String config, Map<String, byte[]> files) {
        return change(
                "load", name, () -> repository.load(name, config == null ? null : ConfigFile.parseJson(config), files));
    }

    public Mono<Void> unload(String name, boolean dependents) {
        return change("unload", name, () -> {
            repository.unload(name, dependents);
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Makes a change. A thread is held for as long as it computes, and none while it waits for files. */
    private Mono<Void> change(String what, String name, Supplier<CompletableFuture<Void>> change) {
        return Mono.defer(() -> {
                    if (!allowed) {
                        throw new EngineException(
                                Status.CLOSED,
                                "requests may not " + what + " models: the server's control mode is not explicit");
                    }
                    // a caller that goes away leaves the load to those that have met it
                    return Mono.fromFuture(change.get(), true);
                })
                .doOnSuccess(_ -> LOG.log(System.Logger.Level.INFO, "{0} of model {1}: done", what, name))
                .doOnError(
                        e -> LOG.log(System.Logger.Level.WARNING, "{0} of model {1}: {2}", what, name, e.getMessage()))
                .subscribeOn(blocking);
    }

    /** Returns the failure of a request with a parameter that nobody reads. */
    public static EngineException unknown(String parameter) {
        return EngineException.invalidArgument("a request to load a model has the parameters config and " + FILE
                + "VERSION/NAME, not '" + parameter + "'");
    }
}
