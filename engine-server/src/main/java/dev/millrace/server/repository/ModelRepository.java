package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.model.CounterBook;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelStatisticsResponse;
import dev.millrace.server.repository.ModelEntry.State;
import dev.millrace.server.repository.ModelEntry.VersionState;
import dev.millrace.session.Outputs;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The models of some folders and sources. Changes are made one after the other; files of sources are fetched and requests go on
 * meanwhile. A version that is replaced finishes its requests, and one that cannot be loaded leaves the versions before it in
 * service.
 */
public final class ModelRepository implements AutoCloseable {
    private final RepositoryContents contents;
    private final RepositoryChanges changes;
    private final Map<String, ModelEntry> entries;

    public ModelRepository(RepositoryContents contents, ModelLoader loader, CounterBook counters) {
        this.contents = contents;
        changes = new RepositoryChanges(contents, (stored, version, config) -> {
            var own = counters.of(stored.name(), Long.toString(version));
            return loader.load(stored, version, config, own, this::infer);
        });
        entries = changes.entries();
    }

    /**
     * Brings what is served in line with the folders: loads what is new or has changed, and unloads what is gone. A model
     * that fails is named in the index and harms no other.
     *
     * @return the end of the loads that wait for a source; it fails if a folder in a source cannot be read at all
     */
    public CompletableFuture<Void> refresh() {
        return changes.refresh();
    }

    /**
     * Loads a model, or loads it again. A load that has to fetch files goes on when this returns. A further load of the model with
     * the same configuration meets it; every other change of the model ends it.
     *
     * @param config in place of that of the folder; null for the folder's own
     * @param files in place of those of the folder, by their paths below it; empty for the folder's own
     * @return the end of the load
     * @throws EngineException if the load fails before it has to wait
     */
    public CompletableFuture<Void> load(String name, @Nullable ModelConfig config, Map<String, byte[]> files) {
        return changes.load(name, config, files);
    }

    /**
     * Unloads a model. Requests that it has accepted are answered, and a load of it that waits for files is ended.
     *
     * @param dependents whether the models of an ensemble's steps are unloaded, too
     */
    public void unload(String name, boolean dependents) {
        changes.unload(name, dependents);
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

    /** Throws if there is no model of this name. */
    public void require(String name) {
        entry(name);
    }

    /** Whether there is a model of this name, which may not be ready. */
    public boolean has(String name) {
        return entries.containsKey(name);
    }

    /** Whether a version of a model answers; an empty version is any. An ensemble answers if its steps do. */
    public boolean isReady(String name, String version) {
        ModelEntry entry = entry(name);
        boolean isLoaded = version.isEmpty() ? entry.isReady() : entry.loaded().containsKey(ModelEntry.number(version));
        return isLoaded && missingStep(entry) == null;
    }

    /** Returns the name of a step that is not ready; null for an ensemble without one, and for another model. */
    private @Nullable String missingStep(ModelEntry entry) {
        for (LoadedVersion each : entry.loaded().values()) {
            for (var step : each.model().config().getEnsembleScheduling().getStepList()) {
                ModelEntry member = entries.get(step.getModelName());
                if (member == null || !member.isReady() || missingStep(member) != null) {
                    return step.getModelName();
                }
            }
        }
        return null;
    }

    /** Whether no model has failed to load. A model that is being loaded, or was unloaded on request, has not failed. */
    public boolean isReady() {
        return entries.values().stream().noneMatch(ModelEntry::hasFailed);
    }

    /** The versions of a model that answer. */
    public List<String> versions(String name) {
        return entry(name).loaded().keySet().stream().map(String::valueOf).toList();
    }

    /** The versions of all models that answer. */
    public List<LoadedVersion> loaded() {
        return entries.values().stream()
                .sorted(Comparator.comparing(ModelEntry::name))
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
        entry(name).requireReady();
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
                    .map(state -> row(each, state.getKey(), state.getValue()))
                    .filter(row -> !readyOnly || row.state().equals(State.READY.name()))
                    .toList();
            if (!own.isEmpty()) {
                rows.put(each.name(), own);
            }
        }
        return rows.values().stream().flatMap(List::stream).toList();
    }

    private IndexRow row(ModelEntry entry, long version, VersionState state) {
        String name = entry.name();
        PendingLoad load = changes.pending().find(name);
        String progress = load == null ? null : load.progress();
        boolean isReady = state.state() == State.READY;
        String step = isReady ? missingStep(entry) : null;
        if (step != null) {
            return new IndexRow(
                    name, Long.toString(version), State.UNAVAILABLE.name(), "its step '" + step + "' is not ready");
        }
        return new IndexRow(
                name,
                Long.toString(version),
                (isReady || progress == null ? state.state() : State.LOADING).name(),
                progress == null || (isReady && !state.reason().isEmpty()) ? state.reason() : progress);
    }

    @Override
    public void close() {
        changes.close();
    }
}
