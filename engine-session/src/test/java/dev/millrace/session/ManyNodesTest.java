package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small files of very many nodes, inputs or outputs: what takes the square of their number does not end in time. */
@Timeout(60)
class ManyNodesTest {
    private static final int MANY = 60_000;

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final GraphEditor editor = new GraphEditor(Graph.named("many"));

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private Value input(String name) {
        return editor.addInput(name, ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"))));
    }

    private Value node(String op, Value... inputs) {
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), TestModels.OPSET, inputs),
                        List.of(op + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    private Session session() {
        var plain = SessionOptions.builder().provider("cpu").build();
        return engine.session(Models.toBytes(TestModels.model(editor.graph())), plain);
    }

    @Test
    void outputsOfOneNode() {
        long[] ones = new long[MANY];
        Arrays.fill(ones, 1);
        Value lengths = editor.addConstant("lengths", Tensor.copyOf(ones, MANY));
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < MANY; i++) {
            names.add("y" + i);
        }
        Node split = editor.append(NodeSpec.of(OpId.onnx("Split"), TestModels.OPSET, input("x"), lengths), names);
        for (int i = 0; i < MANY; i++) {
            editor.addOutput("y" + i, split.requireOutput(i));
        }
        float[] values = new float[MANY];
        values[MANY - 1] = 7;
        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", values))) {
            assertThat(out.get(MANY - 1).floats()).containsExactly(7);
        }
    }

    @Test
    void outputsOfEqualNodes() {
        Value x = input("x");
        for (int i = 0; i < MANY; i++) {
            editor.addOutput("y" + i, node("Relu", x));
        }
        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", -1, 2f))) {
            assertThat(session.report().optimisation().nodesAfter()).isOne();
            assertThat(out.get(MANY - 1).floats()).containsExactly(0, 2);
        }
    }

    @Test
    void outputsOfDifferentNodes() {
        Value x = input("x");
        for (int i = 0; i < MANY; i++) {
            editor.addOutput("y" + i, node("Add", x, editor.addConstant("c" + i, Tensor.scalar((float) i))));
        }
        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", 1f))) {
            assertThat(out.get(MANY - 1).floats()).containsExactly(MANY);
        }
    }

    @Test
    void inputsOfOneNode() {
        Inputs inputs = Inputs.empty();
        Value[] values = new Value[MANY];
        for (int i = 0; i < MANY; i++) {
            values[i] = input("x" + i);
            inputs.and("x" + i, Tensor.copyOf(new float[] {1}, 1));
        }
        editor.addOutput("y", node("Sum", values));
        try (Session session = session();
                Outputs out = session.run(inputs)) {
            assertThat(out.get(0).floats()).containsExactly(MANY);
        }
    }

    @Test
    void nodesThatOneNodeJoins() {
        Value x = input("x");
        Value[] values = new Value[MANY];
        for (int i = 0; i < MANY; i++) {
            Value different =
                    node("Add", x, editor.addConstant("c" + i, Tensor.scalar((float) (i % 2 + i / 2 * 1e-9))));
            values[i] = node("Identity", different);
        }
        editor.addOutput("y", node("Sum", values));
        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", 1f))) {
            assertThat(out.get(0).shape().toArray()).containsExactly(1);
        }
    }
}
