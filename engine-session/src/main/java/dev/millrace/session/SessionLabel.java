package dev.millrace.session;

import java.util.List;

/**
 * How meters and logs tell one session from another.
 *
 * @param name what messages call the session
 * @param version of its model, as its options say or as the model does
 * @param providers that run its nodes, in the order of the graph
 */
public record SessionLabel(String name, String version, List<String> providers) {
    public SessionLabel {
        providers = List.copyOf(providers);
    }

    /** Returns the label of a session of this name. */
    public static SessionLabel of(String name, SessionOptions options, ModelMetadata metadata, SessionReport report) {
        String version = options.version() == null ? Long.toString(metadata.version()) : options.version();
        List<String> providers = report.partitions().stream()
                .map(SessionReport.PartitionInfo::provider)
                .distinct()
                .toList();
        return new SessionLabel(name, version, providers);
    }
}
