package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SoftmaxLossTest {
    private static final String PASS = "softmax-loss";

    private final TestGraph g = new TestGraph().opset(13);

    private Node loss(Value scores, int outputs) {
        Attributes attributes =
                Attributes.of(Map.of("reduction", Attribute.of("sum"), "ignore_index", Attribute.of(3)));
        Value labels = g.input(ElementType.INT64, "batch", 5);
        return g.node(OpId.onnx("SoftmaxCrossEntropyLoss"), outputs, attributes, scores, labels);
    }

    @Test
    void isASoftmaxThenALoss() {
        g.output(loss(g.input("batch", 7, 5), 1).requireOutput(0));
        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.ops()).containsExactly("LogSoftmax", "NegativeLogLikelihoodLoss");
        assertThat(g.find("LogSoftmax").attributes().integer("axis")).isEqualTo(1);
        Attributes attributes = g.find("NegativeLogLikelihoodLoss").attributes();
        assertThat(attributes.text("reduction")).isEqualTo("sum");
        assertThat(attributes.integer("ignore_index")).isEqualTo(3);
    }

    @Test
    void whatTheSoftmaxMakesIsTheSecondOutput() {
        Node node = loss(g.input("batch", 7, 5), 2);
        g.output(node.requireOutput(0)).output(node.requireOutput(1));
        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.find("NegativeLogLikelihoodLoss").input(0))
                .isSameAs(g.find("LogSoftmax").output(0));
    }

    @Test
    void ofHalvesStays() {
        g.output(loss(g.input(ElementType.FLOAT16, "batch", 7, 5), 1).requireOutput(0));
        assertThat(g.run(PASS)).isZero();
    }
}
