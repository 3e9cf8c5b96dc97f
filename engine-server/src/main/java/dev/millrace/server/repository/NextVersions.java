package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.server.config.VersionChoice;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.repository.ModelEntry.State;
import dev.millrace.server.repository.ModelEntry.VersionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The versions of a model that take the place of the loaded ones. */
final class NextVersions {
    private final ModelEntry entry;
    private final StoredModel stored;
    private final ModelConfig config;
    private final boolean evenIfUnchanged;
    private final LongFunction<LoadedVersion> load;
    private final SortedMap<Long, LoadedVersion> loaded = new TreeMap<>();
    private final SortedMap<Long, VersionState> states = new TreeMap<>();
    private final Map<Long, String> files = new HashMap<>();
    private @Nullable EngineException failure;

    /**
     * @param evenIfUnchanged whether versions whose files have not changed are loaded again
     * @param load loads a version, or throws
     */
    NextVersions(
            ModelEntry entry,
            StoredModel stored,
            ModelConfig config,
            boolean evenIfUnchanged,
            LongFunction<LoadedVersion> load) {
        this.entry = entry;
        this.stored = stored;
        this.config = config;
        this.evenIfUnchanged = evenIfUnchanged;
        this.load = load;
    }

    /** Adds versions. Those that are new or have changed are loaded, and the index says so meanwhile. */
    void addAll(List<Long> versions) {
        entry.loading(versions.stream().filter(this::isChanged).toList(), "");
        versions.forEach(this::add);
    }

    private boolean isChanged(long version) {
        String state = files.computeIfAbsent(version, each -> config + stored.state(each));
        return evenIfUnchanged || !state.equals(entry.files(version));
    }

    private void add(long version) {
        boolean isSame = !isChanged(version);
        LoadedVersion former = entry.loaded().get(version);
        VersionState said = entry.states().get(version);
        if (isSame && former != null) {
            loaded.put(version, former);
            states.put(version, new VersionState(State.READY, ""));
        } else if (isSame && said != null) {
            states.put(version, said);
        } else {
            load(version);
        }
    }

    private void load(long version) {
        try {
            loaded.put(version, load.apply(version));
            states.put(version, new VersionState(State.READY, ""));
        } catch (EngineException e) {
            failure = failure == null ? e : failure;
            states.put(version, new VersionState(State.UNAVAILABLE, String.valueOf(e.getMessage())));
        }
    }

    /**
     * Keeps the former versions that have no successor of their number, with the reason of the failure in the index, if a wanted
     * one has failed. Without any, the first substitute that can be loaded answers.
     */
    void keepFormerFor(VersionChoice choice) {
        if (loaded.size() == choice.wanted().size()) {
            return;
        }
        entry.loaded().forEach((version, former) -> {
            if (loaded.putIfAbsent(version, former) == null) {
                VersionState failed = states.get(version);
                states.put(version, new VersionState(State.READY, failed == null ? "" : failed.reason()));
            }
        });
        for (int i = 0; loaded.isEmpty() && i < choice.substitutes().size(); i++) {
            addAll(List.of(choice.substitutes().get(i)));
        }
    }

    SortedMap<Long, LoadedVersion> loaded() {
        return loaded;
    }

    SortedMap<Long, VersionState> states() {
        return states;
    }

    Map<Long, String> files() {
        return files;
    }

    /** Throws the first failure of a version, if there is one. */
    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }
}
