package dev.millrace.session;

import dev.millrace.graph.optimise.OptimisationReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a session came to be.
 *
 * @param partitions who runs what, in the order of the graph; nodes of nested graphs included
 * @param optimisation what the optimiser did
 * @param phases the time that each phase of the creation took, in their order
 * @param contextModel the context model that was written, or will be with its group; null where none is
 * @param cache what a context cache did for the session
 * @param notes what is odd about the model, or did not go as planned, and keeps it from nothing
 */
public record SessionReport(
        List<PartitionInfo> partitions,
        OptimisationReport optimisation,
        Map<String, Duration> phases,
        @Nullable Path contextModel,
        CacheUse cache,
        List<String> notes) {

    /** What a context cache did for a session. */
    public enum CacheUse {
        /** There is none, or it is not for models like this one. */
        NONE,
        /** It had what the session needs. */
        HIT,
        /** It keeps now what the session has compiled. */
        FILLED,
        /** It could not keep what the session has compiled; the notes say why. */
        FAILED
    }

    /**
     * Nodes that one provider runs: a compiled partition, or single nodes that stand one after the other.
     *
     * @param name the partition's name, or the first node's
     * @param compiled whether the nodes were compiled into one step
     * @param operators how many nodes of each operator there are
     */
    public record PartitionInfo(String name, String provider, boolean compiled, Map<String, Integer> operators) {
        public int nodes() {
            return operators.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    public SessionReport {
        partitions = List.copyOf(partitions);
        notes = List.copyOf(notes);
        phases = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(phases));
    }

    SessionReport with(CacheUse use, List<String> more) {
        var all = new ArrayList<>(more);
        all.addAll(notes);
        // a context model in a cache is the cache's, and no result
        return new SessionReport(partitions, optimisation, phases, null, use, all);
    }

    /** Of a session that shares what another one prepared. */
    SessionReport shared(long nanos) {
        return new SessionReport(
                partitions, optimisation, Map.of("share", Duration.ofNanos(nanos)), null, CacheUse.NONE, notes);
    }

    /** From the first byte read to the last step planned. */
    public Duration creation() {
        return phases.values().stream().reduce(Duration.ZERO, Duration::plus);
    }
}
