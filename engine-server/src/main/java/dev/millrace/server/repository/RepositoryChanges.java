package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.config.SourceParameters;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Loads and unloads models, one after the other. Files of sources are fetched meanwhile, and requests go on. Loads of one model
 * with the same source and configuration meet; any other change of a model ends the fetch before it.
 */
final class RepositoryChanges {
    private static final System.Logger LOG = System.getLogger(ModelRepository.class.getName());
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final String UNLOADED = "it is unloaded";
    private static final long LONGEST_CLOSE_NANOS = 10_000_000_000L;

    private final RepositoryContents contents;
    private final Map<String, ModelEntry> entries = new ConcurrentHashMap<>();
    private final BroughtFiles brought = new BroughtFiles();
    private final ModelPlacement placement;
    private final PendingLoads pending = new PendingLoads();
    private final ReentrantLock changes = new ReentrantLock();
    private CompletableFuture<Void> remoteRefresh = DONE;

    RepositoryChanges(RepositoryContents contents, ModelPlacement.Opening opening) {
        this.contents = contents;
        placement = new ModelPlacement(contents, entries, opening);
    }

    Map<String, ModelEntry> entries() {
        return entries;
    }

    PendingLoads pending() {
        return pending;
    }

    /** Brings what is served in line with the folders and sources. The future ends when all sources have answered. */
    CompletableFuture<Void> refresh() {
        CompletableFuture<Void> here = refreshCopies();
        if (contents.remotes().isEmpty()) {
            return here;
        }
        changes.lock();
        try {
            if (remoteRefresh.isDone()) {
                remoteRefresh = pending.run(this::updateRemotes).thenCompose(_ -> refreshCopies());
            }
            return remoteRefresh;
        } finally {
            changes.unlock();
        }
    }

    private void updateRemotes() {
        try {
            for (RemoteFolder each : contents.remotes()) {
                each.update();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Status.CANCELLED, "the thread that fetches was interrupted", e);
        }
    }

    /** Brings what is served in line with what is on this machine, and begins to fetch models that have a source. */
    private CompletableFuture<Void> refreshCopies() {
        changes.lock();
        try {
            Map<String, StoredModel> stored = contents.stored();
            entries.keySet().stream()
                    .filter(name -> !stored.containsKey(name) && !brought.has(name))
                    .toList()
                    .forEach(this::remove);
            var ensembles = new ArrayList<StoredModel>();
            var begun = new ArrayList<CompletableFuture<Void>>();
            for (StoredModel each : stored.values()) {
                if (!brought.has(each.name())) {
                    if (isEnsemble(each)) {
                        ensembles.add(each);
                    } else {
                        begun.add(tryBegin(each));
                    }
                }
            }
            ensembles.forEach(each -> begun.add(tryBegin(each)));
            return CompletableFuture.allOf(begun.toArray(new CompletableFuture<?>[0]));
        } finally {
            changes.unlock();
        }
    }

    private static boolean isEnsemble(StoredModel stored) {
        try {
            return stored.config().hasEnsembleScheduling();
        } catch (EngineException e) {
            return false;
        }
    }

    /** Begins a load whose failure is named in the index and harms no other model. */
    private CompletableFuture<Void> tryBegin(StoredModel stored) {
        CompletableFuture<Void> load;
        try {
            load = begin(stored, null, false);
        } catch (EngineException e) {
            load = CompletableFuture.failedFuture(e);
        }
        return load.exceptionally(e -> {
            Throwable why = e instanceof CompletionException wrapped ? wrapped.getCause() : e;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "model {0} is not loaded as it lies there: {1}",
                    stored.name(),
                    why == null ? e : why.getMessage());
            return null;
        });
    }

    /** Loads a model, or loads it again. The future ends when it is served; failures without a wait are thrown. */
    CompletableFuture<Void> load(String name, @Nullable ModelConfig config, Map<String, byte[]> files) {
        changes.lock();
        try {
            if (files.isEmpty()) {
                return contents.remotes().isEmpty()
                        ? begin(stored(name), config, true)
                        : fetchFirst(
                                StoredModel.ofSource(name, PendingLoad.REPOSITORIES),
                                PendingLoad.REPOSITORIES,
                                config,
                                true,
                                _ -> {
                                    updateRemotes();
                                    return stored(name);
                                });
            }
            if (config == null) {
                throw EngineException.invalidArgument("files of a model need the parameter 'config' beside them");
            }
            bring(name, config, files);
            return DONE;
        } finally {
            changes.unlock();
        }
    }

    private StoredModel stored(String name) {
        StoredModel stored = contents.stored(name);
        if (stored == null) {
            throw new EngineException(Status.NOT_FOUND, "no repository has a model '" + name + "'");
        }
        return stored;
    }

    /** Writes the files of a model; the index says why that is not possible where it is not the request's fault. */
    private OverrideFiles written(String name, Map<String, byte[]> files) {
        try {
            return OverrideFiles.write(name, files);
        } catch (EngineException e) {
            if (e.status() == Status.FAIL) {
                entries.computeIfAbsent(name, ModelEntry::new).blame(e);
            }
            throw e;
        }
    }

    private void bring(String name, ModelConfig config, Map<String, byte[]> files) {
        pending.end(name, "a request brings its files");
        OverrideFiles written = written(name, files);
        try {
            placement.put(StoredModel.ofFolder(name, written.model()), config, true);
        } catch (RuntimeException e) {
            OverrideFiles.delete(written.root());
            throw e;
        }
        brought.keep(name, written.root());
    }

    /** Loads a model whose files are here; else begins to fetch them. */
    private CompletableFuture<Void> begin(StoredModel stored, @Nullable ModelConfig config, boolean evenIfUnchanged) {
        String name = stored.name();
        ModelEntry entry = entries.computeIfAbsent(name, ModelEntry::new);
        String source;
        List<CompletableFuture<Void>> steps;
        try {
            if (config != null && SourceParameters.of(config) != null) {
                throw EngineException.invalidArgument("a request cannot name the source of a model");
            }
            source = contents.source(stored);
            steps = source == null ? beginSteps(stored, config) : List.of();
        } catch (EngineException e) {
            entry.blame(e);
            throw e;
        }
        if (source == null && steps.isEmpty()) {
            pending.end(name, "it is loaded anew");
            placement.put(stored, config, evenIfUnchanged);
            brought.forget(name);
            return DONE;
        }
        return fetchFirst(stored, source, config, evenIfUnchanged, listener -> {
            if (source != null) {
                return contents.fetched(stored, source, listener);
            }
            steps.forEach(RepositoryChanges::awaitEnd);
            return stored;
        });
    }

    /** Begins a load that waits for files; a load of the same files that is under way takes its place. */
    private CompletableFuture<Void> fetchFirst(
            StoredModel stored,
            @Nullable String source,
            @Nullable ModelConfig config,
            boolean evenIfUnchanged,
            PendingLoad.Fetch fetch) {
        PendingLoad underWay = pending.find(stored.name());
        if (underWay != null && underWay.joins(source, config, evenIfUnchanged)) {
            return underWay.outcome();
        }
        pending.end(stored.name(), "it is loaded anew");
        var load = new PendingLoad(stored, source, config, evenIfUnchanged, fetch);
        ModelEntry entry = entries.get(stored.name());
        if (entry != null && (evenIfUnchanged || entry.states().isEmpty())) {
            entry.loading(List.of(1L), load.waitsFor());
        }
        pending.begin(load, this::run);
        return load.outcome();
    }

    /** Begins to load the models that an ensemble runs, that have a source and that are not ready. Other models run none. */
    private List<CompletableFuture<Void>> beginSteps(StoredModel ensemble, @Nullable ModelConfig config) {
        var begun = new ArrayList<CompletableFuture<Void>>();
        ModelConfig own = config == null ? ensemble.config() : config;
        if (!own.hasEnsembleScheduling()) {
            return begun;
        }
        Map<String, StoredModel> stored = contents.stored();
        for (String step : EnsembleSteps.of(ensemble.name(), own, stored)) {
            ModelEntry entry = entries.get(step);
            StoredModel member = stored.get(step);
            if (member != null && (entry == null || !entry.isReady()) && contents.source(member) != null) {
                begun.add(begin(member, null, false));
            }
        }
        return begun;
    }

    /** Waits for a step; the load of the ensemble itself says what is wrong with a step that has failed. */
    private static void awaitEnd(CompletableFuture<Void> step) {
        try {
            step.get();
        } catch (ExecutionException e) {
            LOG.log(System.Logger.Level.DEBUG, "a step of an ensemble is not loaded", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Status.CANCELLED, "the thread that waits for a model was interrupted", e);
        }
    }

    /** Fetches the files of a load, and puts them into service if nothing has ended it meanwhile. */
    private void run(PendingLoad load) {
        StoredModel fetched = null;
        Throwable failure = null;
        try {
            fetched = load.fetched();
        } catch (EngineException e) {
            failure = e;
        }
        CompletableFuture<Void> rest = DONE;
        changes.lock();
        try {
            if (!pending.finish(load)) {
                return;
            }
            if (fetched != null && load.isLookUp()) {
                rest = begin(fetched, load.config(), load.evenIfUnchanged());
            } else if (fetched != null) {
                placement.put(fetched, load.config(), load.evenIfUnchanged());
                brought.forget(load.name());
            } else if (failure instanceof EngineException known
                    && entries.get(load.name()) instanceof ModelEntry entry) {
                entry.blame(known);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            changes.unlock();
        }
        CompletableFuture<Void> last = failure == null ? rest : CompletableFuture.failedFuture(failure);
        last.whenComplete((_, e) -> {
            if (e == null) {
                load.outcome().complete(null);
            } else {
                load.outcome().completeExceptionally(e);
            }
        });
    }

    /** Unloads a model, and the models of an ensemble's steps if {@code dependents} says so. */
    void unload(String name, boolean dependents) {
        changes.lock();
        try {
            boolean ended = pending.end(name, UNLOADED);
            ModelEntry entry = entries.get(name);
            if (entry == null) {
                if (ended) {
                    return;
                }
                throw new EngineException(Status.NOT_FOUND, "there is no model '" + name + "'");
            }
            var steps = new ArrayList<String>();
            if (dependents) {
                for (LoadedVersion each : entry.loaded().values()) {
                    var ensemble = each.model().config().getEnsembleScheduling();
                    ensemble.getStepList().forEach(step -> steps.add(step.getModelName()));
                }
            }
            unload(entry);
            steps.stream().map(entries::get).filter(each -> each != null).forEach(this::unload);
        } finally {
            changes.unlock();
        }
    }

    private void unload(ModelEntry entry) {
        pending.end(entry.name(), UNLOADED);
        List<LoadedVersion> former = List.copyOf(entry.loaded().values());
        entry.unloaded();
        former.forEach(placement::retire);
        brought.forget(entry.name());
    }

    private void remove(String name) {
        pending.end(name, "no repository has it any more");
        ModelEntry entry = entries.remove(name);
        if (entry != null) {
            entry.loaded().values().forEach(placement::retire);
        }
    }

    /** Unloads everything and waits until all requests have ended, for ten seconds at most. */
    void close() {
        changes.lock();
        try {
            pending.close();
            List.copyOf(entries.keySet()).forEach(this::remove);
            placement.awaitRetired(LONGEST_CLOSE_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            brought.close();
            changes.unlock();
        }
    }
}
