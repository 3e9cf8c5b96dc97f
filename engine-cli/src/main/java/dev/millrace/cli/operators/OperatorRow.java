package dev.millrace.cli.operators;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The row of an operator in the table of operators.
 *
 * @param versions the opsets in which it appeared or changed
 * @param types the element types of its first type variable in the newest version; empty if it has none
 * @param providers the versions and newest types that each provider takes, by the provider's name
 * @param composed whether it is lowered to several other operators before a provider is asked
 */
public record OperatorRow(
        OpId op, List<Integer> versions, Set<ElementType> types, Map<String, Taken> providers, boolean composed) {
    /** The versions and element types of an operator that a provider takes. */
    public record Taken(List<Integer> versions, Set<ElementType> types) {}

    /** Whether any provider takes it, directly or lowered. */
    public boolean isThere() {
        return composed
                || providers.values().stream()
                        .anyMatch(taken -> !taken.versions().isEmpty());
    }
}
