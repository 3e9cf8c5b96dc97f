package dev.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import org.junit.jupiter.api.Test;

class PlainTextTest {
    @Test
    void whatIsPlainStaysTheSameObject() {
        String plain = "Gemm 'fc1/é漢': shapes [1, 2] and [3]";

        assertThat(PlainText.line(plain)).isSameAs(plain);
        assertThat(PlainText.lines(plain)).isSameAs(plain);
    }

    @Test
    void aLineHasNoControlCharacters() {
        assertThat(PlainText.line("a\nb\r\tc\u001b[2Jd\u0085e\u2028f\u202eg\0"))
                .isEqualTo("a\\nb\\r\\tc\\u001b[2Jd\\u0085e\\u2028f\\u202eg\\u0000");
    }

    @Test
    void linesKeepTheirBreaks() {
        assertThat(PlainText.lines("a\n\tb\u001b[2J\u2066")).isEqualTo("a\n\tb\\u001b[2J\\u2066");
    }

    @Test
    void namesInMessagesForgeNoLineOfALog() {
        var thrown = EngineException.invalidGraph("node 'x\r\n2026-01-01 INFO \u001b[31mall is well'");

        assertThat(thrown).hasMessage("node 'x\\r\\n2026-01-01 INFO \\u001b[31mall is well'");
        assertThat(thrown.at("model\n.onnx")).hasMessageStartingWith("model\\n.onnx: node");
        assertThat(EngineException.wrap(Status.FAIL, "here", new IllegalStateException("a\nb")))
                .hasMessage("here: a\\nb");
    }

    @Test
    void whatAModelIsMadeOfIsDescribedOnOneLine() {
        var graph = Graph.named("g\nINFO");
        var editor = new GraphEditor(graph);
        Value x = editor.addInput("x\nINFO", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n\n"))));
        Node node = editor.append(NodeSpec.of(new OpId("d\n", "Op\n"), 1, x), List.of("y\nINFO"));
        Node named = editor.append(NodeSpec.of(OpId.onnx("Relu"), 14, x).named("n\nINFO"), List.of("z"));

        assertThat(List.of(graph, x, node, named, node.describe(), named.describe()))
                .extracting(Object::toString)
                .allSatisfy(text -> assertThat(text).doesNotContain("\n").contains("\\n"));
    }
}
