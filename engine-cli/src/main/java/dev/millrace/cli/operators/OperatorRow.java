package dev.millrace.cli.operators;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the tables say of an operator.
 *
 * @param versions the opsets in which it appeared or changed
 * @param types the element types that its first variable stands for in the newest version; empty where it has none
 * @param providers by name, the versions that a provider takes and the types of the newest one
 * @param composed whether it is written as several others before a provider is asked
 */
public record OperatorRow(
        OpId op, List<Integer> versions, Set<ElementType> types, Map<String, Taken> providers, boolean composed) {
    /** What a provider takes. */
    public record Taken(List<Integer> versions, Set<ElementType> types) {}

    /** Whether anybody takes it, in one form or another. */
    public boolean isThere() {
        return composed
                || providers.values().stream()
                        .anyMatch(taken -> !taken.versions().isEmpty());
    }
}
