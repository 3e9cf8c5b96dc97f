package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements that share bytes, on their way between two that are compiled. */
class PackedElementsTest {
    private final Random random = new Random(4);

    @ParameterizedTest
    @EnumSource(names = {"INT4", "UINT4"})
    void areTransposed(ElementType type) {
        Tensor elements = RandomTensors.bits(random, type, 2, 3, 5);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 21);
            Value scale = editor.addConstant("scale", Tensor.scalar(0.5f));
            Value turned = nodes.add("Transpose", Attributes.NONE, editor.addConstant("elements", elements));
            Value numbers = nodes.add("DequantizeLinear", Attributes.NONE, turned, scale);
            Value back = nodes.add("Transpose", Attributes.of("perm", Attribute.of(2, 1, 0)), numbers);
            nodes.output(nodes.add("Add", Attributes.NONE, back, Comparison.floats(editor, "x", 3)));
        })) {
            both.agreesOn(Comparison.random(random, 2, 3, 5));
        }
    }
}
