package dev.millrace.graph.ir;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.bytes;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.format.ModelText;
import dev.millrace.graph.format.Protos;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class GraphCopierTest {
    private final Graph source = source();

    private static Graph source() {
        GraphProto.Builder branch = graph(List.of(), List.of("t"), node("Add", List.of("y", "w"), List.of("t")));
        return Protos.read(Protos.model(graph(
                                List.of("x", "o"),
                                List.of("z", "y"),
                                node("Abs", List.of("x", "", "o"), List.of("y", "")),
                                node("If", List.of("y"), List.of("z")).addAttribute(attribute("then_branch", branch)))
                        .addInitializer(bytes("w", 1, 2))
                        .addInitializer(bytes("o", 3))))
                .graph();
    }

    @Test
    void aCopySaysTheSameAndSharesNothingButTensors() {
        String before = ModelText.of(source);
        Graph copy = GraphCopier.copy(source, null);
        assertThat(ModelText.of(copy)).isEqualTo(before);
        assertThat(ModelText.of(source)).isEqualTo(before);
        Node node = Objects.requireNonNull(copy.lastNode());
        Graph nested = node.attributes().graph("then_branch");
        assertThat(nested.parent()).isSameAs(copy);
        assertThat(nested.owner()).isSameAs(node);
        for (Value read : Objects.requireNonNull(nested.firstNode()).inputs()) {
            assertThat(Objects.requireNonNull(read).graph()).isSameAs(copy);
        }
        assertThat(copy.constants().iterator().next().constant())
                .isSameAs(source.constants().iterator().next().constant());
    }

    @Test
    void valuesOfGraphsAroundStayOrAreReplaced() {
        Graph nested = Objects.requireNonNull(source.lastNode()).attributes().graph("then_branch");
        Value y = Objects.requireNonNull(source.firstNode()).requireOutput(0);
        Graph same = GraphCopier.copy(nested, source);
        assertThat(Objects.requireNonNull(same.firstNode()).requireInput(0)).isSameAs(y);
        Graph other = Graph.named("other");
        Value instead = new GraphEditor(other).addInput("i", null);
        Graph moved = GraphCopier.copy(nested, other, Map.of(y, instead));
        assertThat(Objects.requireNonNull(moved.firstNode()).requireInput(0)).isSameAs(instead);
    }

    @Test
    void contentsAreCopiedBeforeTheAnchor() {
        Graph target = Graph.named("target");
        var editor = new GraphEditor(target);
        Value a = editor.addInput("a", null);
        Node anchor = editor.append(NodeSpec.of(OpId.onnx("Neg"), 21, a), List.of("n"));
        List<Value> outputs = GraphCopier.copyInto(
                        source,
                        editor,
                        anchor,
                        Map.of(source.inputs().getFirst(), a),
                        (original, copy) -> copy.named(original.op().name()))
                .stream()
                .map(Objects::requireNonNull)
                .toList();
        assertThat(target.nodes()).extracting(Node::name).containsExactly("Abs", "If", "");
        Node abs = Objects.requireNonNull(target.firstNode());
        assertThat(abs.requireInput(0)).isSameAs(a);
        assertThat(Objects.requireNonNull(abs.requireInput(2).constant()).longs())
                .containsExactly(3);
        assertThat(outputs).element(1).isSameAs(abs.requireOutput(0));
        assertThat(target.inputs()).containsExactly(a);
    }

    @Test
    void anInputWithoutReplacementOrDefaultIsAMistake() {
        var editor = new GraphEditor(Graph.named("target"));
        Value o = editor.addConstant("o", Tensor.scalar(1f));
        assertThatThrownBy(() -> GraphCopier.copyInto(
                        source, editor, null, Map.of(source.inputs().get(1), o), GraphCopier.Rewrite.NOTHING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x");
    }
}
