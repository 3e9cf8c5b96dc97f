package dev.millrace.session;

import dev.millrace.graph.ir.Model;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The descriptive metadata in a model file.
 *
 * @param producer the tool that wrote the file, such as {@code pytorch}
 * @param producerVersion the version of the tool that wrote the file
 * @param domain the model's namespace in reversed DNS form
 * @param version the model's version
 * @param description the model's description, for people
 * @param graphName the name of the model's graph
 * @param graphDescription the description of the model's graph, for people
 * @param properties the entries of {@code metadata_props}, in the file's order
 */
public record ModelMetadata(
        String producer,
        String producerVersion,
        String domain,
        long version,
        String description,
        String graphName,
        String graphDescription,
        Map<String, String> properties) {
    public ModelMetadata {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** Returns the metadata in the header of a model. */
    public static ModelMetadata of(Model model) {
        Model.Header header = model.header();
        return new ModelMetadata(
                header.producerName(),
                header.producerVersion(),
                header.domain(),
                header.modelVersion(),
                header.documentation().text(),
                model.graph().name(),
                model.graph().documentation().text(),
                model.metadata());
    }
}
