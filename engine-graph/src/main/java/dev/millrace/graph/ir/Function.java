package dev.millrace.graph.ir;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model-local function: a body whose attributes may be {@linkplain Attribute.Reference references} to the caller's.
 *
 * @param attributeNames attributes that a caller gives, without a default
 * @param attributeDefaults attributes that a caller may leave out
 */
public record Function(
        Id id, List<String> attributeNames, Attributes attributeDefaults, Map<String, Integer> opsets, Graph body) {

    /** Domain, name and overload. */
    public record Id(OpId op, String overload) {}

    public Function {
        attributeNames = List.copyOf(attributeNames);
        opsets = Collections.unmodifiableMap(new LinkedHashMap<>(opsets));
    }
}
