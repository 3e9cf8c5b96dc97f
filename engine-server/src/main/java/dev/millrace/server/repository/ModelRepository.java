package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.config.ConfigRules;
import dev.millrace.server.config.SourceParameters;
import dev.millrace.server.config.VersionChoice;
import dev.millrace.server.model.CounterBook;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelStatisticsResponse;
import dev.millrace.server.repository.ModelEntry.State;
import dev.millrace.server.repository.ModelEntry.VersionState;
import dev.millrace.session.Outputs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The models of some folders and sources. Changes are made one after the other; requests go on meanwhile. A version that is
 * replaced finishes its requests, and one that cannot be loaded leaves the versions before it in service.
 */
public final class ModelRepository implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ModelRepository.class.getName());
    private static final String UNLOADED = "unloaded";

    private final RepositoryContents contents;
    private final ModelLoader loader;
    private final CounterBook counters;
    private final Map<String, ModelEntry> entries = new ConcurrentHashMap<>();
    /** The folders of models that requests brought, by the models' names. */
    private final Map<String, Path> brought = new HashMap<>();

    private final ConcurrentLinkedQueue<LoadedVersion> retired = new ConcurrentLinkedQueue<>();
    private final ReentrantLock changes = new ReentrantLock();

    public ModelRepository(RepositoryContents contents, ModelLoader loader, CounterBook counters) {
        this.contents = contents;
        this.loader = loader;
        this.counters = counters;
    }

    /**
     * Brings what is served in line with the folders: loads what is new or has changed, and unloads what is gone. A model
     * that fails is named in the index and harms no other.
     */
    public void refresh() {
        changes.lock();
        try {
            Map<String, StoredModel> stored = contents.stored();
            entries.keySet().stream()
                    .filter(name -> !stored.containsKey(name) && !brought.containsKey(name))
                    .toList()
                    .forEach(this::remove);
            var later = new ArrayList<StoredModel>();
            for (StoredModel each : stored.values()) {
                if (!brought.containsKey(each.name())) {
                    if (isEnsemble(each)) {
                        later.add(each);
                    } else {
                        tryLoad(each);
                    }
                }
            }
            later.forEach(this::tryLoad);
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

    private void tryLoad(StoredModel stored) {
        try {
            load(stored, null, false);
        } catch (EngineException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "model {0} is not loaded as it lies there: {1}",
                    stored.name(),
                    e.getMessage());
        }
    }

    /**
     * Loads a model, or loads it again.
     *
     * @param config in place of that of the folder; null for the folder's own
     * @param files in place of those of the folder, by their paths below it; empty for the folder's own
     */
    public void load(String name, @Nullable ModelConfig config, Map<String, byte[]> files) {
        changes.lock();
        try {
            if (files.isEmpty()) {
                StoredModel stored = contents.stored().get(name);
                if (stored == null) {
                    throw new EngineException(Status.NOT_FOUND, "no repository has a model '" + name + "'");
                }
                load(stored, config, true);
                forget(name);
            } else {
                if (config == null) {
                    throw EngineException.invalidArgument("files of a model need the parameter 'config' beside them");
                }
                OverrideFiles written = OverrideFiles.write(name, files);
                try {
                    load(StoredModel.ofFolder(name, written.model()), config, true, UnaryOperator.identity());
                } catch (RuntimeException e) {
                    OverrideFiles.delete(written.root());
                    throw e;
                }
                forget(name);
                brought.put(name, written.root());
            }
        } finally {
            changes.unlock();
        }
    }

    private void forget(String name) {
        Path former = brought.remove(name);
        if (former != null) {
            OverrideFiles.delete(former);
        }
    }

    private void load(StoredModel stored, @Nullable ModelConfig override, boolean always) {
        load(stored, override, always, contents::located);
    }

    /** @param locate fetches the files of a model that has a source; requests cannot name one */
    private void load(
            StoredModel named, @Nullable ModelConfig override, boolean always, UnaryOperator<StoredModel> locate) {
        ModelEntry entry = entries.computeIfAbsent(named.name(), ModelEntry::new);
        StoredModel stored;
        ModelConfig config;
        VersionChoice choice;
        try {
            if (override != null && SourceParameters.of(override) != null) {
                throw EngineException.invalidArgument("a request cannot name the source of a model");
            }
            stored = locate.apply(named);
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
            requireMembers(config);
        } catch (EngineException e) {
            entry.blame(e);
            throw e;
        }
        replace(entry, stored, config, choice, always);
    }

    /** Loads the chosen versions and puts them in the place of the former ones, if none of them fails. */
    private void replace(
            ModelEntry entry, StoredModel stored, ModelConfig config, VersionChoice choice, boolean always) {
        var next = new NextVersions(entry, stored, config, always, version -> {
            var own = counters.of(stored.name(), Long.toString(version));
            return loader.load(stored, version, config, own, this::infer);
        });
        next.addAll(choice.wanted());
        next.keepFormerFor(choice);
        List<LoadedVersion> former = List.copyOf(entry.loaded().values());
        entry.set(next.loaded(), next.states(), next.files());
        former.stream().filter(each -> !next.loaded().containsValue(each)).forEach(this::retire);
        next.throwFailure();
    }

    /** Loads the models that an ensemble needs and that are not loaded. */
    private void requireMembers(ModelConfig config) {
        for (var step : config.getEnsembleScheduling().getStepList()) {
            ModelEntry member = entries.get(step.getModelName());
            if (member == null || !member.isReady()) {
                StoredModel stored = contents.stored().get(step.getModelName());
                if (stored == null) {
                    throw EngineException.invalidArgument(
                            "the ensemble has a step of model '" + step.getModelName() + "', which no repository has");
                }
                load(stored, null, false);
            }
        }
    }

    /**
     * Unloads a model. Requests that it has accepted are answered.
     *
     * @param dependents whether the models of an ensemble's steps are unloaded, too
     */
    public void unload(String name, boolean dependents) {
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
        var states = new TreeMap<Long, VersionState>();
        entry.states().keySet().forEach(version -> states.put(version, new VersionState(State.UNAVAILABLE, UNLOADED)));
        List<LoadedVersion> former = List.copyOf(entry.loaded().values());
        entry.set(new TreeMap<>(), states, Map.of());
        former.forEach(this::retire);
        forget(entry.name());
    }

    private void remove(String name) {
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

    /** Returns a version of a model with a share in it, which the caller releases. An empty version is the highest one. */
    public LoadedVersion acquire(String name, String version) {
        return entry(name).acquire(version);
    }

    /** Answers by a model. */
    public Mono<Outputs> infer(String name, String version, InferRequest request) {
        return Mono.defer(() -> acquire(name, version).infer(request));
    }

    private ModelEntry entry(String name) {
        ModelEntry entry = entries.get(name);
        if (entry == null) {
            throw new EngineException(Status.NOT_FOUND, "there is no model '" + name + "'");
        }
        return entry;
    }

    /** Whether a version of a model answers; an empty version is any. */
    public boolean isReady(String name, String version) {
        ModelEntry entry = entry(name);
        return version.isEmpty() ? entry.isReady() : entry.loaded().containsKey(ModelEntry.number(version));
    }

    /** Whether every model that is known answers, except those that were unloaded on request. */
    public boolean isReady() {
        return entries.values().stream()
                .allMatch(each -> each.isReady()
                        || each.states().values().stream()
                                .allMatch(state -> state.reason().equals(UNLOADED)));
    }

    /** The versions of a model that answer. */
    public List<String> versions(String name) {
        return entry(name).loaded().keySet().stream().map(String::valueOf).toList();
    }

    /** The versions of all models that answer. */
    public List<LoadedVersion> loaded() {
        return entries.values().stream()
                .sorted(java.util.Comparator.comparing(ModelEntry::name))
                .flatMap(each -> each.loaded().values().stream())
                .toList();
    }

    /** Returns the statistics of all versions that answer, of models with certain names. */
    public ModelStatisticsResponse statistics(Predicate<String> names) {
        var statistics = ModelStatisticsResponse.newBuilder();
        loaded().stream()
                .filter(each -> names.test(each.name()))
                .forEach(each -> statistics.addModelStats(each.counters().message(each.name(), each.version())));
        return statistics.build();
    }

    /** Returns the statistics of a version that answers; of all versions where that is empty. */
    public ModelStatisticsResponse statistics(String name, String version) {
        var statistics = ModelStatisticsResponse.newBuilder();
        for (LoadedVersion each : List.copyOf(entry(name).loaded().values())) {
            if (version.isEmpty() || version.equals(each.version())) {
                statistics.addModelStats(each.counters().message(each.name(), each.version()));
            }
        }
        if (statistics.getModelStatsCount() == 0) {
            throw new EngineException(
                    Status.NOT_FOUND, "model '" + name + "' does not answer as version '" + version + "'");
        }
        return statistics.build();
    }

    /** Lists all models, those that were never loaded included. */
    public List<IndexRow> index(boolean readyOnly) {
        var rows = new TreeMap<String, List<IndexRow>>();
        if (!readyOnly) {
            contents.stored().keySet().forEach(name -> rows.put(name, List.of(new IndexRow(name, "", "", ""))));
        }
        for (ModelEntry each : entries.values()) {
            List<IndexRow> own = each.states().entrySet().stream()
                    .map(state -> new IndexRow(
                            each.name(),
                            String.valueOf(state.getKey()),
                            state.getValue().state().name(),
                            state.getValue().reason()))
                    .filter(row -> !readyOnly || row.state().equals(State.READY.name()))
                    .toList();
            if (!own.isEmpty()) {
                rows.put(each.name(), own);
            }
        }
        return rows.values().stream().flatMap(List::stream).toList();
    }

    /** Unloads everything and waits until all requests have ended, for ten seconds at most. */
    @Override
    public void close() {
        changes.lock();
        try {
            List.copyOf(entries.keySet()).forEach(this::remove);
            long end = System.nanoTime() + 10_000_000_000L;
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
