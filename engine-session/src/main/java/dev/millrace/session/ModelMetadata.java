package dev.millrace.session;

import dev.millrace.graph.ir.Model;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a model says of itself.
 *
 * @param producer who wrote the file, such as {@code pytorch}
 * @param producerVersion of the tool that wrote the file
 * @param domain a namespace in reversed DNS form
 * @param version of the model
 * @param description of the model, for people
 * @param graphName of its graph
 * @param properties {@code metadata_props}, in the file's order
 */
public record ModelMetadata(
        String producer,
        String producerVersion,
        String domain,
        long version,
        String description,
        String graphName,
        Map<String, String> properties) {
    public ModelMetadata {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    static ModelMetadata of(Model model) {
        Model.Header header = model.header();
        return new ModelMetadata(
                header.producerName(),
                header.producerVersion(),
                header.domain(),
                header.modelVersion(),
                header.documentation().text(),
                model.graph().name(),
                model.metadata());
    }
}
