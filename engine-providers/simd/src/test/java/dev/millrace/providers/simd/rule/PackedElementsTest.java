package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements that share bytes. */
class PackedElementsTest {
    private final Random random = new Random(4);

    @ParameterizedTest
    @EnumSource(names = {"INT4", "UINT4"})
    void areTransposed(ElementType type) {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 21);
            Value scale = editor.addConstant("scale", Tensor.scalar(0.5f));
            Value turned = nodes.add("Transpose", Attributes.NONE, Comparison.input(editor, "x", type, 3));
            nodes.output(turned);
            nodes.output(nodes.add("DequantizeLinear", Attributes.NONE, turned, scale));
        })) {
            both.agreesOn(RandomTensors.bits(random, type, 2, 3, 5));
        }
    }
}
