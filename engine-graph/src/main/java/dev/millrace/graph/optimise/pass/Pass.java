package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One improvement of a graph, known by a stable name. A pass reads the graph and proposes {@linkplain Patch patches};
 * it changes nothing itself.
 */
public sealed interface Pass {
    String name();

    Level level();

    /**
     * A rule that is tried at each node whose operator is one of {@code anchors}, and again at the nodes around each
     * patch, until it finds nothing more.
     */
    record AtNode(String name, Level level, Set<OpId> anchors, Rule rule) implements Pass {
        public AtNode {
            anchors = Set.copyOf(anchors);
        }
    }

    /** A search over a whole graph. */
    record OverGraph(String name, Level level, Search search) implements Pass {}

    @FunctionalInterface
    interface Rule {
        /** Returns the patch at {@code node}, or null where the rule does not apply. */
        @Nullable
        Patch at(Node node, PassContext context);
    }

    @FunctionalInterface
    interface Search {
        /** Returns the patches for {@code graph}, found lazily: each is applied before the next is requested. */
        Iterator<Patch> over(Graph graph, PassContext context);
    }
}
