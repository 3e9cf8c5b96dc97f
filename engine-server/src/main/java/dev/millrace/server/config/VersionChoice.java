package dev.millrace.server.config;

import dev.millrace.server.protocol.ModelVersionPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * The versions of a model that its policy wants, of those that its folder has.
 *
 * @param wanted the versions in ascending order
 * @param substitutes the versions that may answer if no wanted one can be loaded, the best one first
 */
public record VersionChoice(List<Long> wanted, List<Long> substitutes) {
    /** The choice of version 1. */
    public static final VersionChoice FIRST = new VersionChoice(List.of(1L), List.of());

    public VersionChoice {
        wanted = List.copyOf(wanted);
        substitutes = List.copyOf(substitutes);
    }

    /** Returns the choice of a policy. Without one, it is the latest version. */
    public static VersionChoice of(ModelVersionPolicy policy, List<Long> there) {
        return switch (policy.getPolicyChoiceCase()) {
            case ALL -> new VersionChoice(there.stream().sorted().toList(), List.of());
            case SPECIFIC -> {
                var chosen = new TreeSet<>(policy.getSpecific().getVersionsList());
                chosen.retainAll(there);
                yield new VersionChoice(List.copyOf(chosen), List.of());
            }
            case LATEST -> latest(there, Math.max(1, policy.getLatest().getNumVersions()));
            case POLICYCHOICE_NOT_SET -> latest(there, 1);
        };
    }

    private static VersionChoice latest(List<Long> there, int count) {
        List<Long> newestFirst =
                there.stream().sorted(Comparator.reverseOrder()).toList();
        int wanted = Math.min(count, there.size());
        return new VersionChoice(
                newestFirst.subList(0, wanted).reversed(), newestFirst.subList(wanted, newestFirst.size()));
    }
}
