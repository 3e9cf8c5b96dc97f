package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.server.config.ConfigRules;
import dev.millrace.server.config.VersionChoice;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.ModelConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Puts versions of models whose files are on this machine into service. One thread at a time does so. */
final class ModelPlacement {
    /** The opening of a version. */
    @FunctionalInterface
    interface Opening {
        LoadedVersion open(StoredModel stored, long version, ModelConfig config);
    }

    private final RepositoryContents contents;
    private final Map<String, ModelEntry> entries;
    private final Opening opening;
    private final ConcurrentLinkedQueue<LoadedVersion> retired = new ConcurrentLinkedQueue<>();

    ModelPlacement(RepositoryContents contents, Map<String, ModelEntry> entries, Opening opening) {
        this.contents = contents;
        this.entries = entries;
        this.opening = opening;
    }

    /** Loads the versions of a model that its policy wants, and puts them in the place of the former ones. */
    void put(StoredModel stored, @Nullable ModelConfig override, boolean evenIfUnchanged) {
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
        replace(entry, stored, config, choice, evenIfUnchanged);
    }

    /** Loads the chosen versions and puts them in the place of the former ones, if none of them fails. */
    private void replace(
            ModelEntry entry, StoredModel stored, ModelConfig config, VersionChoice choice, boolean evenIfUnchanged) {
        var next = new NextVersions(
                entry, stored, config, evenIfUnchanged, version -> opening.open(stored, version, config));
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

    /** Takes a version out of service; it closes once its requests have ended. */
    void retire(LoadedVersion version) {
        retired.removeIf(LoadedVersion::isClosed);
        retired.add(version);
        version.retire();
    }

    /** Waits until all versions out of service are closed, or a time is over. */
    void awaitRetired(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (LoadedVersion each : retired) {
            each.awaitClosed(end - System.nanoTime());
        }
    }
}
