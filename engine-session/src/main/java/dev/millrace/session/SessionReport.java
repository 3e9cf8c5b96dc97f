package dev.millrace.session;

import dev.millrace.graph.optimise.OptimisationReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The report of a session's creation.
 *
 * @param partitions the parts of the graph with their providers, in the graph's order; nodes of nested graphs included
 * @param optimisation the optimiser's report
 * @param phases the time that each phase of the creation took, in their order
 * @param contextModel the context model that was written, or will be with its group; null if there is none
 * @param cache the context cache's part in the creation
 * @param notes oddities of the model and departures from the usual way of creation, none of which keep it from running
 */
public record SessionReport(
        List<PartitionInfo> partitions,
        OptimisationReport optimisation,
        Map<String, Duration> phases,
        @Nullable Path contextModel,
        CacheUse cache,
        List<String> notes) {

    /** A context cache's part in the creation of a session. */
    public enum CacheUse {
        /** There is no cache, or it does not serve models like this one. */
        NONE,
        /** The cache had the compiled model. */
        HIT,
        /** The cache now keeps the model that the session compiled. */
        FILLED,
        /** The cache could not keep the model that the session compiled; the notes say why. */
        FAILED
    }

    /**
     * Nodes that one provider runs: a compiled partition, or a sequence of single nodes.
     *
     * @param name the partition's name, or the first node's
     * @param compiled whether the nodes were compiled into one step
     * @param operators the number of nodes of each operator
     */
    public record PartitionInfo(String name, String provider, boolean compiled, Map<String, Integer> operators) {
        public int nodes() {
            return operators.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    public SessionReport {
        partitions = List.copyOf(partitions);
        notes = List.copyOf(notes);
        phases = Collections.unmodifiableMap(new LinkedHashMap<>(phases));
    }

    /** The time of the creation, from the first byte read to the last step planned. */
    public Duration creation() {
        return phases.values().stream().reduce(Duration.ZERO, Duration::plus);
    }
}
