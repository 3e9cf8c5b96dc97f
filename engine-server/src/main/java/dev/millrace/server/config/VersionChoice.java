package dev.millrace.server.config;

import dev.millrace.server.protocol.ModelVersionPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;

/** The versions of a model that its policy wants, of those that its folder has. */
public final class VersionChoice {
    private VersionChoice() {}

    /** Returns the chosen versions in ascending order. Without a policy, it is the latest one. */
    public static SequencedSet<Long> of(ModelVersionPolicy policy, List<Long> there) {
        return switch (policy.getPolicyChoiceCase()) {
            case ALL -> new TreeSet<>(there);
            case SPECIFIC -> {
                var chosen = new TreeSet<>(policy.getSpecific().getVersionsList());
                chosen.retainAll(there);
                yield chosen;
            }
            case LATEST -> latest(there, Math.max(1, policy.getLatest().getNumVersions()));
            case POLICYCHOICE_NOT_SET -> latest(there, 1);
        };
    }

    private static SequencedSet<Long> latest(List<Long> there, int count) {
        return new TreeSet<>(
                there.stream().sorted(Comparator.reverseOrder()).limit(count).toList());
    }
}
