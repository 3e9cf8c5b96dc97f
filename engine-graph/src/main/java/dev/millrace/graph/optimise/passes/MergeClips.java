package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** Relu and Clip in a row are one of them. */
final class MergeClips {
    private MergeClips() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value middle = node.input(0);
        Node first = middle != null && GraphPatterns.isInner(middle, node.graph(), 1) ? middle.producer() : null;
        Bounds inner = first != null && first.graph() == node.graph() ? Bounds.of(first) : null;
        Bounds outer = inner == null ? null : Bounds.of(node);
        Bounds both = inner == null || outer == null ? null : inner.and(outer);
        ElementType type = middle == null ? null : middle.elementType();
        if (first == null || both == null || type == null || !GraphPatterns.isReal(middle)) {
            return null;
        }
        Patch.Builder patch = context.patch(node, first.op() + " and " + node.op() + " in one");
        return patch.replace(
                        node.requireOutput(0),
                        both.spec(node, first.requireInput(0), type, patch).named(node.name()))
                .build();
    }
}
