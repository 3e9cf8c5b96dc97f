package dev.millrace.graph.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.GraphCheck;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoweringsTest {
    private final GraphEditor editor = new GraphEditor(Graph.named("test"));

    private Value input(ElementType type, long... dims) {
        var shape = new Dim[dims.length];
        for (int i = 0; i < dims.length; i++) {
            shape[i] = Dim.of(dims[i]);
        }
        return editor.addInput("in", ValueType.tensor(type, SymbolicShape.of(shape)));
    }

    private Node node(GraphEditor to, NodeSpec spec, String... outputs) {
        return to.append(spec, List.of(outputs));
    }

    private static NodeSpec contributed(String name, @Nullable Value... inputs) {
        return NodeSpec.of(new OpId(OpId.MICROSOFT, name), 1, inputs);
    }

    private List<String> lowered() {
        TypeInference.infer(editor.graph());
        assertThat(Lowerings.lower(editor.graph())).isTrue();
        GraphCheck.check(editor.graph());
        TypeInference.infer(editor.graph());
        return operators(editor.graph());
    }

    private static List<String> operators(Graph graph) {
        var names = new ArrayList<String>();
        graph.nodes().forEach(node -> names.add(node.op().name()));
        return names;
    }

    @Test
    void whatHasNoLoweringStays() {
        Value x = input(ElementType.FLOAT, 3, 3);
        editor.addOutput("y", node(editor, contributed("Inverse", x), "y").requireOutput(0));
        TypeInference.infer(editor.graph());
        assertThat(Lowerings.lower(editor.graph())).isFalse();
        assertThat(operators(editor.graph())).containsExactly("Inverse");
    }

    @Test
    void resultsKeepTheirNamesAndShapes() {
        Value x = input(ElementType.FLOAT, 2, 3);
        Node gemm = node(
                editor,
                contributed("FusedGemm", x, input(ElementType.FLOAT, 3, 4)).with("activation", Attribute.of("Relu")),
                "y");
        editor.addOutput("y", gemm.requireOutput(0));
        assertThat(lowered()).containsExactly("Gemm", "Relu");
        Value y = editor.graph().outputs().getFirst();
        assertThat(y.name()).isEqualTo("y");
        assertThat(y.type()).hasToString("float[2,4]");
    }

    @Test
    void chainsAndNestedGraphsAreLowered() {
        Value x = input(ElementType.FLOAT, 2, 3);
        Value bias = input(ElementType.FLOAT, 3);
        Value condition = input(ElementType.BOOL);
        Value sum = node(editor, contributed("BiasAdd", x, bias, x), "sum").requireOutput(0);
        Graph then = Graph.nested("then", editor.graph());
        var inside = new GraphEditor(then);
        inside.addOutput(
                "t", node(inside, contributed("BiasAdd", sum, bias, sum), "t").requireOutput(0));
        Graph other = Graph.nested("else", editor.graph());
        var beside = new GraphEditor(other);
        beside.addOutput(
                "e", node(beside, NodeSpec.of(OpId.onnx("Neg"), 21, sum), "e").requireOutput(0));
        NodeSpec choice = NodeSpec.of(OpId.onnx("If"), 21, condition)
                .with("then_branch", Attribute.of(then))
                .with("else_branch", Attribute.of(other));
        editor.addOutput("y", node(editor, choice, "y").requireOutput(0));
        assertThat(lowered()).containsExactly("Add", "Add", "If");
        assertThat(operators(then)).containsExactly("Add", "Add");
        assertThat(editor.graph().outputs().getFirst().type()).hasToString("float[2,3]");
    }

    @Test
    void aNodeOfUnknownRankWaitsForTheRun() {
        Value x = editor.addInput("x", ValueType.tensor(ElementType.INT8));
        NodeSpec pool = contributed("NhwcMaxPool", x).with("kernel_shape", Attribute.of(new long[] {2, 2}));
        Node node = node(editor, pool, "y");
        editor.addOutput("y", node.requireOutput(0));
        TypeInference.infer(editor.graph());
        assertThat(Lowerings.lower(editor.graph())).isFalse();
        assertThat(operators(editor.graph())).containsExactly("NhwcMaxPool");
        Graph inRun = Lowerings.inRun(node, new Facts() {
            @Override
            public ValueType type(int input) {
                return ValueType.tensor(ElementType.INT8, Shape.of(1, 4, 4, 3));
            }

            @Override
            public @Nullable Tensor value(int input) {
                return null;
            }
        });
        assertThat(operators(inRun)).containsExactly("Transpose", "MaxPool", "Transpose");
        assertThat(inRun.inputs()).hasSize(1);
        assertThat(inRun.outputs().getFirst().type()).hasToString("int8[1,3,3,3]");
    }

    @Test
    void onlyANodeWhoseShapesDecideWhatIsWrittenWaitsForTheRun() {
        Value open = editor.addInput("x", ValueType.tensor(ElementType.INT8));
        Value known = input(ElementType.INT8, 1, 4, 4, 3);
        for (Value x : List.of(open, known)) {
            NodeSpec pool = contributed("NhwcMaxPool", x).with("kernel_shape", Attribute.of(new long[] {2, 2}));
            assertThat(Lowerings.waitsForRun(node(editor, pool, "pooled"))).isTrue();
            assertThat(Lowerings.waitsForRun(node(editor, contributed("BiasAdd", x, x, x), "sum")))
                    .isFalse();
            assertThat(Lowerings.waitsForRun(node(editor, NodeSpec.of(OpId.onnx("Neg"), 13, x), "neg")))
                    .isFalse();
        }
    }

    @Test
    void aRankThatIsNotKnownIsNamedWhereANodeReadsWhatIsAroundIt() {
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        Value around = editor.addInput("around", ValueType.tensor(ElementType.FLOAT, Shape.of(1)));
        Graph change = Graph.nested("change", editor.graph());
        var inside = new GraphEditor(change);
        Value score = inside.addInput("score", ValueType.tensor(ElementType.FLOAT));
        inside.addOutput(
                "changed",
                node(inside, NodeSpec.of(OpId.onnx("Add"), 14, score, around), "changed")
                        .requireOutput(0));
        NodeSpec attention = NodeSpec.of(new OpId("ai.onnx.preview", "FlexAttention"), 1, x, x, x)
                .with("score_mod", Attribute.of(change));
        editor.addOutput("y", node(editor, attention, "y").requireOutput(0));
        TypeInference.infer(editor.graph());
        assertThatThrownBy(() -> Lowerings.lower(editor.graph()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED))
                .hasMessageContaining("FlexAttention")
                .hasMessageContaining("of input 0 is not known");
    }

    @Test
    void moreHeadsThanCanBeToldApartAreRefused() {
        Value queries = input(ElementType.FLOAT, 1, 1L << 33, 1, 2);
        Value keys = input(ElementType.FLOAT, 1, 2, 1, 2);
        Value values = input(ElementType.FLOAT, 1, 2, 1, 2);
        OpId flex = new OpId("ai.onnx.preview", "FlexAttention");
        NodeSpec attention = NodeSpec.of(flex, 1, queries, keys, values);
        editor.addOutput("y", node(editor, attention, "y").requireOutput(0));
        TypeInference.infer(editor.graph());
        assertThatThrownBy(() -> Lowerings.lower(editor.graph()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("8589934592 heads of queries");
    }

    @Test
    void outputsThatAreNotMadeAreNamed() {
        Value q = input(ElementType.FLOAT, 1, 1, 8);
        Value past = input(ElementType.FLOAT, 1, 2, 4, 4);
        Value length = input(ElementType.INT32, 1);
        NodeSpec attention = contributed("MultiHeadAttention", q, q, q, null, null, null, past, past, length)
                .with("num_heads", Attribute.of(2));
        Node node = node(editor, attention, "y", "keys", "values", "scores");
        node.outputs().forEach(output -> editor.addOutput("out", Objects.requireNonNull(output)));
        TypeInference.infer(editor.graph());
        assertThatThrownBy(() -> Lowerings.lower(editor.graph())).hasMessageContaining("output 3");
    }
}
