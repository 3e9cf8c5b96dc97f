package dev.millrace.providers.testkit.plan;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A graph that a seed decides, of the operators of {@link SmallKernels}. All its values have eight floats. */
final class RandomGraph {
    private static final int ELEMENTS = 8;
    private static final String[] OPERATORS = {
        "Add", "Add", "Add", "AddInPlace", "AddInPlace", "Split", "View", "Reversed", "Shift", "Copy", "Same", "Repeat"
    };

    private final Random random;
    private final Graph graph;

    private RandomGraph(Random random, Graph graph) {
        this.random = random;
        this.graph = graph;
    }

    static Graph of(long seed) {
        var made = new RandomGraph(new Random(seed), Graph.named("random " + seed));
        made.fill(4 + made.random.nextInt(20), 1 + made.random.nextInt(2), List.of());
        return made.graph;
    }

    static Tensor input(long seed) {
        var random = new Random(seed);
        float[] values = new float[ELEMENTS];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(64) / 8f;
        }
        return Tensor.copyOf(values, ELEMENTS);
    }

    /** @param outside values of the graph around this one, which nodes may read */
    private void fill(int nodes, int inputs, List<Value> outside) {
        var editor = new GraphEditor(graph);
        var values = new ArrayList<Value>(outside);
        for (int i = 0; i < inputs; i++) {
            values.add(editor.addInput("x" + i, ValueType.tensor(ElementType.FLOAT)));
        }
        values.add(editor.addConstant("c", input(random.nextInt(100))));
        for (int i = 0; i < nodes; i++) {
            values.addAll(append(editor, i, values, outside.isEmpty()));
        }
        int outputs = outside.isEmpty() ? 1 + random.nextInt(3) : 1;
        for (int i = 0; i < outputs; i++) {
            editor.addOutput("y" + i, values.get(values.size() - 1 - random.nextInt(Math.min(4, nodes))));
        }
    }

    private List<Value> append(GraphEditor editor, int number, List<Value> values, boolean mayNest) {
        String op = OPERATORS[random.nextInt(OPERATORS.length)];
        if (op.equals("Repeat") && !mayNest) {
            op = "Add";
        }
        NodeSpec spec = NodeSpec.of(new OpId("test", op), 1, operands(op, values));
        if (op.equals("Repeat")) {
            spec = spec.with("body", Attribute.of(body(values)));
        }
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < (op.equals("Split") ? 2 : 1); i++) {
            names.add(op + number + (i == 0 ? "" : "b"));
        }
        Node node = editor.append(spec, names);
        return List.of(node.outputs().toArray(new Value[0]));
    }

    private Value[] operands(String op, List<Value> values) {
        int count = switch (op) {
            case "Add", "AddInPlace" -> 1 + random.nextInt(3);
            case "Shift" -> 2;
            default -> 1;
        };
        var operands = new Value[count];
        for (int i = 0; i < count; i++) {
            // mostly a recent one: chains, and memory that is soon free
            int back = random.nextInt(3) == 0 ? values.size() : Math.min(4, values.size());
            operands[i] = values.get(values.size() - 1 - random.nextInt(back));
        }
        return operands;
    }

    private Graph body(List<Value> values) {
        var inner = new RandomGraph(random, Graph.nested("body", graph));
        inner.fill(1 + random.nextInt(4), 1, values.subList(Math.max(0, values.size() - 3), values.size()));
        return inner.graph;
    }
}
