package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fits a graph that was kept to the node that stands for it now. Since it was kept, what it reads may have become a
 * constant or one value for two inputs, and what it makes may have lost its readers.
 */
final class ContextFit {
    private final Graph kept;
    private final Node node;
    private final Graph around;

    private ContextFit(Graph kept, Node node, Graph around) {
        this.kept = kept;
        this.node = node;
        this.around = around;
    }

    /**
     * The graph with the inputs and outputs that remain.
     *
     * @param kept the graph that was kept
     * @param node the EPContext node
     * @param around the graph with that node only; its inputs and outputs are what remains of the node's
     */
    static Graph fit(Graph kept, Node node, Graph around) {
        return new ContextFit(kept, node, around).fit();
    }

    private Graph fit() {
        if (node.inputs().size() != kept.inputs().size()
                || node.outputs().size() != kept.outputs().size()) {
            throw EngineException.invalidGraph(
                    node.describe() + " has " + node.inputs().size() + " inputs and "
                            + node.outputs().size() + " outputs, but was compiled with "
                            + kept.inputs().size() + " and " + kept.outputs().size());
        }
        for (int i = 0; i < kept.inputs().size(); i++) {
            check(
                    "input " + i,
                    node.requireInput(i).type(),
                    kept.inputs().get(i).type());
        }
        for (int i = 0; i < kept.outputs().size(); i++) {
            Value output = node.output(i);
            check(
                    "output " + i,
                    output == null ? null : output.type(),
                    kept.outputs().get(i).type());
        }
        return node.inputs().equals(around.inputs()) && node.outputs().equals(around.outputs()) ? kept : refit();
    }

    private void check(String what, @Nullable ValueType now, @Nullable ValueType before) {
        if (now instanceof ValueType.TensorType a && before instanceof ValueType.TensorType b) {
            boolean sameElements = a.element() == null || b.element() == null || a.element() == b.element();
            if (!sameElements || !agree(a.shape(), b.shape())) {
                throw EngineException.invalidGraph(
                        node.describe() + ": " + what + " is " + a + ", but was compiled as " + b);
            }
        } else if (now != null && before != null && !now.equals(before)) {
            throw EngineException.invalidGraph(
                    node.describe() + ": " + what + " is " + now + ", but was compiled as " + before);
        }
    }

    private static boolean agree(@Nullable SymbolicShape a, @Nullable SymbolicShape b) {
        if (a == null || b == null) {
            return true;
        }
        if (a.rank() != b.rank()) {
            return false;
        }
        for (int i = 0; i < a.rank(); i++) {
            if (a.dim(i).isKnown() && b.dim(i).isKnown() && !a.dim(i).equals(b.dim(i))) {
                return false;
            }
        }
        return true;
    }

    private Graph refit() {
        Graph graph = Graph.named(kept.name());
        var editor = new GraphEditor(graph);
        Map<Value, Value> inputs = new IdentityHashMap<>();
        for (Value input : around.inputs()) {
            inputs.put(input, editor.addInput(input.name(), input.type()));
        }
        Map<Value, @Nullable Value> stands = new IdentityHashMap<>();
        for (int i = 0; i < kept.inputs().size(); i++) {
            Value now = node.requireInput(i);
            Tensor constant = now.constant();
            stands.put(
                    kept.inputs().get(i),
                    constant == null ? inputs.get(now) : editor.addConstant(now.name(), constant));
        }
        List<@Nullable Value> outputs = GraphCopier.copyInto(kept, editor, null, stands, GraphCopier.Rewrite.NOTHING);
        for (Value output : around.outputs()) {
            Value copy = outputs.get(node.outputs().indexOf(output));
            if (copy == null) {
                throw EngineException.invalidGraph(node.describe() + ": an output is an input that is omitted");
            }
            editor.addOutput(output.name(), copy);
        }
        return graph;
    }
}
