package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.config.ConfigRules;
import dev.millrace.server.config.SourceParameters;
import dev.millrace.server.config.VersionChoice;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    private static final long LONGEST_CLOSE_NANOS = 10_000_000_000L;

    /** The opening of a version. */
    @FunctionalInterface
    interface Opening {
        LoadedVersion open(StoredModel stored, long version, ModelConfig config);
    }

    private final RepositoryContents contents;
    private final Opening opening;
    private final Map<String, ModelEntry> entries = new ConcurrentHashMap<>();
    /** The folders of models that requests brought, by the models' names. */
    private final Map<String, Path> brought = new HashMap<>();

    private final ConcurrentLinkedQueue<LoadedVersion> retired = new ConcurrentLinkedQueue<>();
    private final PendingLoads pending = new PendingLoads();
    private final ReentrantLock changes = new ReentrantLock();

    RepositoryChanges(RepositoryContents contents, Opening opening) {
        this.contents = contents;
        this.opening = opening;
    }

    Map<String, ModelEntry> entries() {
        return entries;
    }

    PendingLoads pending() {
        return pending;
    }

    /** Brings what is served in line with the folders and sources. The future ends when all sources have answered. */
    CompletableFuture<Void> refresh() {
        changes.lock();
        try {
            Map<String, StoredModel> stored = contents.stored();
            entries.keySet().stream()
                    .filter(name -> !stored.containsKey(name) && !brought.containsKey(name))
                    .toList()
                    .forEach(this::remove);
            var ensembles = new ArrayList<StoredModel>();
            var begun = new ArrayList<CompletableFuture<Void>>();
            for (StoredModel each : stored.values()) {
                if (!brought.containsKey(each.name())) {
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
                StoredModel stored = contents.stored().get(name);
                if (stored == null) {
                    throw new EngineException(Status.NOT_FOUND, "no repository has a model '" + name + "'");
                }
                return begin(stored, config, true);
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

    private void bring(String name, ModelConfig config, Map<String, byte[]> files) {
        pending.end(name, "a request brings its files");
        OverrideFiles written = OverrideFiles.write(name, files);
        try {
            put(StoredModel.ofFolder(name, written.model()), config, true);
        } catch (RuntimeException e) {
            OverrideFiles.delete(written.root());
            throw e;
        }
        forget(name);
        brought.put(name, written.root());
    }

    private void forget(String name) {
        Path former = brought.remove(name);
        if (former != null) {
            OverrideFiles.delete(former);
        }
    }

    /** Loads a model whose files are here; else begins to fetch them. */
    private CompletableFuture<Void> begin(StoredModel stored, @Nullable ModelConfig config, boolean always) {
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
            put(stored, config, always);
            forget(name);
            return DONE;
        }
        PendingLoad underWay = pending.find(name);
        if (underWay != null && underWay.joins(source, config, always)) {
            return underWay.outcome();
        }
        pending.end(name, "it is loaded anew");
        var load = new PendingLoad(stored, source, config, always, listener -> {
            if (source != null) {
                return contents.fetched(stored, source, listener);
            }
            steps.forEach(RepositoryChanges::awaitEnd);
            return stored;
        });
        if (always || entry.states().isEmpty()) {
            entry.loading(List.of(1L), load.waitsFor());
        }
        pending.begin(load, this::run);
        return load.outcome();
    }

    /** Begins to load the models that an ensemble runs, that have a source and that are not ready. */
    private List<CompletableFuture<Void>> beginSteps(StoredModel ensemble, @Nullable ModelConfig config) {
        var begun = new ArrayList<CompletableFuture<Void>>();
        Map<String, StoredModel> stored = contents.stored();
        for (String step : EnsembleSteps.of(ensemble.name(), config == null ? ensemble.config() : config, stored)) {
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
        changes.lock();
        try {
            if (!pending.finish(load)) {
                return;
            }
            if (fetched != null) {
                put(fetched, load.config(), load.always());
                forget(load.name());
            } else if (failure instanceof EngineException known) {
                entries.computeIfAbsent(load.name(), ModelEntry::new).blame(known);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            changes.unlock();
        }
        if (failure == null) {
            load.outcome().complete(null);
        } else {
            load.outcome().completeExceptionally(failure);
        }
    }

    /** Loads the versions of a model that its policy wants, and puts them in the place of the former ones. */
    private void put(StoredModel stored, @Nullable ModelConfig override, boolean always) {
        ModelEntry entry = entries.computeIfAbsent(stored.name(), ModelEntry::new);
        ModelConfig config;
        VersionChoice choice;
        try {
            config = override != null ? override : stored.config();
            ConfigRules.check(config, stored.name());
            choice = config.hasEnsembleScheduling() && stored.versions().isEmpty()
                    ? VersionChoice.FIRST
                    : VersionChoice.of(
                            config.getVersionPolicy(),
                            List.copyOf(stored.versions().keySet()));
            if (choice.wanted().isEmpty()) {
                throw EngineException.invalidArgument(
                        "model '" + stored.name() + "' has no version that its policy wants; " + stored.folder()
                                + " has " + stored.versions().keySet());
            }
            requireSteps(stored.name(), config);
        } catch (EngineException e) {
            entry.blame(e);
            throw e;
        }
        replace(entry, stored, config, choice, always);
    }

    /** Loads the chosen versions and puts them in the place of the former ones, if none of them fails. */
    private void replace(
            ModelEntry entry, StoredModel stored, ModelConfig config, VersionChoice choice, boolean always) {
        var next = new NextVersions(entry, stored, config, always, version -> opening.open(stored, version, config));
        next.addAll(choice.wanted());
        next.keepFormerFor(choice);
        List<LoadedVersion> former = List.copyOf(entry.loaded().values());
        entry.set(next.loaded(), next.states(), next.files());
        former.stream().filter(each -> !next.loaded().containsValue(each)).forEach(this::retire);
        next.throwFailure();
    }

    /** Loads the models that an ensemble needs and that are not loaded. Those of sources have been fetched before. */
    private void requireSteps(String ensemble, ModelConfig config) {
        if (!config.hasEnsembleScheduling()) {
            return;
        }
        Map<String, StoredModel> stored = contents.stored();
        EnsembleSteps.of(ensemble, config, stored);
        for (var step : config.getEnsembleScheduling().getStepList()) {
            ModelEntry member = entries.get(step.getModelName());
            if (member == null || !member.isReady()) {
                StoredModel own = stored.get(step.getModelName());
                if (own == null) {
                    throw EngineException.invalidArgument(
                            "the ensemble has a step of model '" + step.getModelName() + "', which no repository has");
                }
                if (contents.source(own) == null) {
                    put(own, null, false);
                } else {
                    entries.computeIfAbsent(own.name(), ModelEntry::new).requireReady();
                }
            }
        }
    }

    /** Unloads a model, and the models of an ensemble's steps if {@code dependents} says so. */
    void unload(String name, boolean dependents) {
        changes.lock();
        try {
            ModelEntry entry = entries.get(name);
            if (entry == null) {
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
        pending.end(entry.name(), "it is unloaded");
        List<LoadedVersion> former = List.copyOf(entry.loaded().values());
        entry.unloaded();
        former.forEach(this::retire);
        forget(entry.name());
    }

    private void remove(String name) {
        pending.end(name, "no repository has it any more");
        ModelEntry entry = entries.remove(name);
        if (entry != null) {
            entry.loaded().values().forEach(this::retire);
        }
    }

    private void retire(LoadedVersion version) {
        retired.removeIf(LoadedVersion::isClosed);
        retired.add(version);
        version.retire();
    }

    /** Unloads everything and waits until all requests have ended, for ten seconds at most. */
    void close() {
        changes.lock();
        try {
            pending.close();
            List.copyOf(entries.keySet()).forEach(this::remove);
            long end = System.nanoTime() + LONGEST_CLOSE_NANOS;
            for (LoadedVersion each : retired) {
                each.awaitClosed(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            List.copyOf(brought.keySet()).forEach(this::forget);
            changes.unlock();
        }
    }
}
