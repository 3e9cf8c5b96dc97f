package dev.millrace.graph.ir;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What a file says of a value beside its type. Nothing is computed by it; it is there to be written again.
 *
 * @param metadata what stands beside the value's type
 * @param tensorMetadata what stands in the initializer that the value is, or that its default is
 * @param quantisation the values that hold the parameters of its quantisation, by the role that each has
 */
public record ValueNotes(
        Map<String, String> metadata, Map<String, String> tensorMetadata, Map<String, Value> quantisation) {

    /** Nothing is said. */
    public static final ValueNotes NONE = new ValueNotes(Map.of(), Map.of(), Map.of());

    public ValueNotes {
        metadata = fixed(metadata);
        tensorMetadata = fixed(tensorMetadata);
        quantisation = fixed(quantisation);
    }

    private static <V> Map<String, V> fixed(Map<String, V> map) {
        return map.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    public boolean isEmpty() {
        return metadata.isEmpty() && tensorMetadata.isEmpty() && quantisation.isEmpty();
    }

    /** The same where other values stand for those that it names. */
    public ValueNotes with(UnaryOperator<Value> others) {
        if (quantisation.isEmpty()) {
            return this;
        }
        var parameters = new LinkedHashMap<>(quantisation);
        parameters.replaceAll((_, value) -> others.apply(value));
        return new ValueNotes(metadata, tensorMetadata, parameters);
    }
}
