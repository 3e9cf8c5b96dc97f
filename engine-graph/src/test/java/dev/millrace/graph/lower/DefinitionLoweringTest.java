package dev.millrace.graph.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.GraphCheck;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DefinitionLoweringTest {
    private final GraphEditor editor = new GraphEditor(Graph.named("test"));

    private Value input(ElementType type) {
        return editor.addInput("in", ValueType.tensor(type));
    }

    private static NodeSpec onnx(String name, int opset, Value... inputs) {
        return NodeSpec.of(OpId.onnx(name), opset, inputs);
    }

    private static NodeSpec contributed(String name, @Nullable Value... inputs) {
        return NodeSpec.of(new OpId(OpId.MICROSOFT, name), 1, inputs);
    }

    /** The operators that {@code spec} is lowered to, after which its output has the type that it had before. */
    private List<String> lowered(NodeSpec spec) {
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        TypeInference.infer(editor.graph());
        ElementType before = editor.graph().outputs().getFirst().elementType();
        assertThat(Lowerings.lower(editor.graph())).isTrue();
        GraphCheck.check(editor.graph());
        TypeInference.infer(editor.graph());
        assertThat(editor.graph().outputs().getFirst().elementType()).isEqualTo(before);
        return nodes().stream().map(node -> node.op().name()).toList();
    }

    private List<Node> nodes() {
        var nodes = new ArrayList<Node>();
        editor.graph().nodes().forEach(nodes::add);
        return nodes;
    }

    private float constant(String operator, int input) {
        Node node =
                nodes().stream().filter(each -> each.is(operator)).findFirst().orElseThrow();
        return (float)
                Objects.requireNonNull(node.requireInput(input).constant()).doubles()[0];
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "DOUBLE"})
    void floatsAndDoublesStayWhatTheyAre(ElementType type) {
        assertThat(lowered(onnx("Mish", 18, input(type)))).containsExactly("Softplus", "Tanh", "Mul");
    }

    @Test
    void floatsOf16BitsAreRoundedOnce() {
        assertThat(lowered(onnx("Mish", 22, input(ElementType.BFLOAT16))))
                .containsExactly("Cast", "Softplus", "Tanh", "Mul", "Cast");
    }

    @Test
    void oneOperatorRoundsByItself() {
        assertThat(lowered(contributed("QuickGelu", input(ElementType.FLOAT16))))
                .containsExactly("Swish");
    }

    @Test
    void wholeNumbersAreComputedWithAsDoubles() {
        List<String> operators = lowered(onnx("Shrink", 9, input(ElementType.UINT64)));
        assertThat(operators).startsWith("Cast", "Neg", "Less").endsWith("Cast");
        assertThat(nodes().getFirst().attributes().integer("to")).isEqualTo(ElementType.DOUBLE.code());
    }

    @Test
    void whatIsOnlyKnownInARunIsComputedInItsType() {
        Value untyped = editor.addInput("x", null);
        assertThat(lowered(onnx("Selu", 22, untyped))).containsExactly("CastLike", "Elu", "Mul");
        NodeSpec product = contributed("FusedGemm", untyped, untyped);
        assertThat(lowered(product.with("activation", Attribute.of("Relu")))).endsWith("Gemm", "Relu");
    }

    @Test
    void attributesComeFromTheNodeOrFromItsVersion() {
        lowered(onnx("Selu", 5, input(ElementType.FLOAT)).with("alpha", Attribute.of(2f)));
        assertThat(constant("Mul", 0)).isEqualTo(1.0507f);
        assertThat(nodes().getFirst().attributes().real("alpha")).isEqualTo(2f);
    }

    @Test
    void whatIsLeftOfASumWithoutABiasIsTheOtherOperand() {
        assertThat(lowered(contributed("FastGelu", input(ElementType.FLOAT)))).containsExactly("Gelu");
        Node gelu = nodes().getFirst();
        assertThat(gelu.input(0)).isSameAs(editor.graph().inputs().getFirst());
        assertThat(gelu.attributes().text("approximate")).isEqualTo("tanh");
    }

    @Test
    void anActivationThatIsNamedIsMadeOfOthersToo() {
        NodeSpec product = contributed("FusedGemm", input(ElementType.FLOAT), input(ElementType.FLOAT));
        assertThat(lowered(product.with("activation", Attribute.of("Selu")))).containsExactly("Gemm", "Elu", "Mul");
    }

    @Test
    void anOutputOfAnInputThatIsLeftOutIsRefused() {
        Value a = input(ElementType.FLOAT16);
        Node gate = editor.append(
                contributed("LinearAttentionGate", a, input(ElementType.FLOAT), input(ElementType.FLOAT)),
                List.of("decay", "beta"));
        editor.addOutput("beta", gate.requireOutput(1));
        TypeInference.infer(editor.graph());
        assertThatThrownBy(() -> Lowerings.lower(editor.graph())).hasMessageContaining("output 1");
    }
}
