package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** Nodes and constants that nothing reads go. What a removal leaves unread, the driver removes with it. */
final class DeadCode {
    private DeadCode() {}

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Patch.Builder patch = context.patch(graph, "nothing reads it");
        for (Node node : graph.nodes()) {
            if (Effects.isRemovable(node)) {
                patch.remove(node);
            }
        }
        for (Value constant : graph.constants()) {
            if (!constant.isUsed()) {
                patch.removeConstant(constant);
            }
        }
        Patch all = patch.build();
        return all.changes().isEmpty()
                ? Collections.emptyIterator()
                : List.of(all).iterator();
    }
}
