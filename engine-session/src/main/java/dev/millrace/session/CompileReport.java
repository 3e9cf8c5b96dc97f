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
 * How a compiled model came to be.
 *
 * @param model the file that was written, or null where it went elsewhere
 * @param partitions who compiled what, and who will run the rest
 * @param optimisation what the optimiser did
 * @param phases the time that each phase took, in their order
 * @param notes what is odd about the model, or did not go as planned, and kept it from nothing
 */
public record CompileReport(
        @Nullable Path model,
        List<SessionReport.PartitionInfo> partitions,
        OptimisationReport optimisation,
        Map<String, Duration> phases,
        List<String> notes) {

    public CompileReport {
        partitions = List.copyOf(partitions);
        notes = List.copyOf(notes);
        phases = Collections.unmodifiableMap(new LinkedHashMap<>(phases));
    }
}
