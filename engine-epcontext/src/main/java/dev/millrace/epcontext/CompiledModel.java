package dev.millrace.epcontext;

import dev.millrace.graph.ir.Model;
import dev.millrace.providers.partition.Partitioning;
import java.util.Map;

/**
 * A model that was shared out and compiled, and what is to be kept of that.
 *
 * @param parts how the model's graph was shared out
 * @param byProvider what was compiled
 * @param compatibility what providers want to be asked about when the context model is loaded
 * @param source the weights that are left to the source model
 */
public record CompiledModel(
        Model model,
        Partitioning parts,
        Map<String, ContextBinaryWriter> byProvider,
        Map<String, String> compatibility,
        SourceInitializers source) {

    /** A model whose binaries hold all of its weights. */
    public CompiledModel(
            Model model,
            Partitioning parts,
            Map<String, ContextBinaryWriter> byProvider,
            Map<String, String> compatibility) {
        this(model, parts, byProvider, compatibility, SourceInitializers.none());
    }

    /** Whether there is nothing to keep. */
    public boolean isEmpty() {
        return byProvider.values().stream()
                .allMatch(writer -> writer.partitions().isEmpty());
    }
}
