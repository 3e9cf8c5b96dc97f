package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchProgress;
import dev.millrace.server.protocol.ModelConfig;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A load of a model that waits for files. */
final class PendingLoad {
    /** The source of a load that looks for its model in folders of sources. */
    static final String REPOSITORIES = "the repository";

    private static final long MEGABYTE = 1_000_000;

    /** The work before a load, which may take long. */
    @FunctionalInterface
    interface Fetch {
        StoredModel fetch(FetchListener listener);
    }

    private final StoredModel stored;
    private final @Nullable String source;
    private final @Nullable ModelConfig config;
    private final Fetch fetch;
    private final CompletableFuture<Void> outcome = new CompletableFuture<>();
    private boolean evenIfUnchanged;
    private @Nullable Future<?> task;
    private volatile @Nullable String progress;

    /**
     * @param source the name of the model in a source; null for an ensemble, whose steps are fetched
     * @param config in place of that of the folder; null for the folder's own
     * @param evenIfUnchanged whether the model is loaded again if it has not changed
     */
    PendingLoad(
            StoredModel stored,
            @Nullable String source,
            @Nullable ModelConfig config,
            boolean evenIfUnchanged,
            Fetch fetch) {
        this.stored = stored;
        this.source = source;
        this.config = config;
        this.evenIfUnchanged = evenIfUnchanged;
        this.fetch = fetch;
    }

    String name() {
        return stored.name();
    }

    @Nullable
    ModelConfig config() {
        return config;
    }

    boolean evenIfUnchanged() {
        return evenIfUnchanged;
    }

    CompletableFuture<Void> outcome() {
        return outcome;
    }

    /** Returns what has arrived of the file under way; null before the first byte. */
    @Nullable
    String progress() {
        return progress;
    }

    /** Whether the fetch only finds the model, whose own files may have to be fetched then. */
    boolean isLookUp() {
        return REPOSITORIES.equals(source);
    }

    /** Returns what the load waits for. */
    String waitsFor() {
        return source == null ? "the models of its steps are fetched" : "fetching " + source;
    }

    /** Lets a further caller have the outcome of this load, if it is one that the caller wants. */
    boolean joins(@Nullable String wantedSource, @Nullable ModelConfig wantedConfig, boolean again) {
        boolean same = Objects.equals(source, wantedSource) && Objects.equals(config, wantedConfig);
        evenIfUnchanged |= same && again;
        return same;
    }

    StoredModel fetched() {
        try {
            return fetch.fetch(this::hear);
        } catch (EngineException e) {
            throw e;
        } catch (RuntimeException | LinkageError e) {
            throw new EngineException(Status.FAIL, "the source of model '" + name() + "' failed: " + e, e);
        }
    }

    private void hear(FetchProgress now) {
        String total = now.total() < 0 ? "" : " of " + megabytes(now.total());
        progress = "fetching " + now.file() + ": " + megabytes(now.bytes()) + total + " MB";
    }

    private static String megabytes(long bytes) {
        return Long.toString(Math.ceilDiv(bytes, MEGABYTE));
    }

    void runsAs(Future<?> own) {
        task = own;
    }

    /** Ends the fetch; the callers learn why. */
    void end(String reason) {
        outcome.completeExceptionally(
                new EngineException(Status.CLOSED, "the load of model '" + name() + "' was ended: " + reason));
        if (task != null) {
            task.cancel(true);
        }
    }
}
