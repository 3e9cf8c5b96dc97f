package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.model.LoadedVersion;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A model that was loaded, or should have been: its versions, and what the index says of each. */
final class ModelEntry {
    private static final String UNLOADED = "unloaded";

    /** The states of the index. */
    enum State {
        READY,
        UNAVAILABLE,
        LOADING
    }

    /** A version's state in the index. */
    record VersionState(State state, String reason) {}

    /**
     * Everything that changes together.
     *
     * @param files the state of each loaded version's files, by version
     */
    private record Content(
            SortedMap<Long, LoadedVersion> loaded, SortedMap<Long, VersionState> states, Map<Long, String> files) {}

    private final String name;
    private volatile Content content = new Content(new TreeMap<>(), new TreeMap<>(), Map.of());

    ModelEntry(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    SortedMap<Long, LoadedVersion> loaded() {
        return content.loaded;
    }

    SortedMap<Long, VersionState> states() {
        return content.states;
    }

    @Nullable
    String files(long version) {
        return content.files.get(version);
    }

    /** Replaces the versions; the caller retires those that are not among them any more. */
    void set(SortedMap<Long, LoadedVersion> loaded, SortedMap<Long, VersionState> states, Map<Long, String> files) {
        content = new Content(new TreeMap<>(loaded), new TreeMap<>(states), Map.copyOf(files));
    }

    /** Says in the index that these versions are being loaded, and why that takes long, unless they are ready. */
    void loading(Iterable<Long> versions, String reason) {
        var states = new TreeMap<>(content.states);
        for (Long version : versions) {
            if (!content.loaded.containsKey(version)) {
                states.put(version, new VersionState(State.LOADING, reason));
            }
        }
        content = new Content(content.loaded, states, content.files);
    }

    /** Says in the index why the model cannot be loaded as it is now. Loaded versions stay. */
    void blame(EngineException failure) {
        Content now = content;
        var states = new TreeMap<Long, VersionState>();
        for (Long version : now.loaded.isEmpty() ? Set.of(1L) : now.loaded.keySet()) {
            State state = now.loaded.isEmpty() ? State.UNAVAILABLE : State.READY;
            states.put(version, new VersionState(state, String.valueOf(failure.getMessage())));
        }
        var files = new HashMap<>(now.files);
        files.keySet().retainAll(now.loaded.keySet());
        content = new Content(now.loaded, states, Map.copyOf(files));
    }

    boolean isReady() {
        return !content.loaded.isEmpty();
    }

    void requireReady() {
        if (!isReady()) {
            throw missing("", content);
        }
    }

    /** Whether a version could not be loaded, so that the model does not answer as its repository wants. */
    boolean hasFailed() {
        return !isReady()
                && content.states.values().stream()
                        .anyMatch(each -> each.state == State.UNAVAILABLE && !each.reason.equals(UNLOADED));
    }

    /** Says in the index that the model was unloaded on request. */
    void unloaded() {
        var states = new TreeMap<Long, VersionState>();
        content.states.keySet().forEach(each -> states.put(each, new VersionState(State.UNAVAILABLE, UNLOADED)));
        content = new Content(new TreeMap<>(), states, Map.of());
    }

    /** Returns a version with a share in it. An empty version is the highest one. */
    LoadedVersion acquire(String version) {
        while (true) {
            Content now = content;
            LoadedVersion found;
            if (version.isEmpty()) {
                found = now.loaded.isEmpty() ? null : now.loaded.lastEntry().getValue();
            } else {
                found = now.loaded.get(number(version));
            }
            if (found == null) {
                throw missing(version, now);
            }
            if (found.acquire()) {
                return found;
            }
        }
    }

    private EngineException missing(String version, Content now) {
        if (version.isEmpty() || now.states.containsKey(number(version))) {
            String reason = now.states.values().stream()
                    .map(VersionState::reason)
                    .filter(each -> !each.isEmpty())
                    .findFirst()
                    .orElse("it is not loaded");
            return new EngineException(Status.CLOSED, "model '" + name + "' is not ready: " + reason);
        }
        return new EngineException(
                Status.NOT_FOUND,
                "model '" + name + "' has no version '" + version + "'; it has " + now.loaded.keySet());
    }

    static long number(String version) {
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT, "'" + version + "' is no version of a model; versions are numbers", e);
        }
    }
}
