package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of functions, of which each reads the last one several times or makes it deeper by several steps. */
class LongChainsTest {
    private final Random random = new Random(7);

    @ParameterizedTest
    @ValueSource(strings = {"HardSwish", "Mish", "HardSigmoid", "Selu", "Tanh"})
    void agreeBehindConvolutions(String operator) {
        Tensor weights = Comparison.random(random, 16, 16, 3, 3);
        Tensor own = Comparison.random(random, 16, 1, 3, 3);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 22);
            Value x = Comparison.floats(editor, "x", 4);
            Value dense = nodes.add("Conv", Attributes.NONE, x, nodes.constant(weights));
            Value depthwise = nodes.add("Conv", Attributes.of("group", Attribute.of(16)), x, nodes.constant(own));
            for (int i = 0; i < 23; i++) {
                dense = nodes.add(operator, Attributes.NONE, dense);
                depthwise = nodes.add(operator, Attributes.NONE, depthwise);
            }
            nodes.output(dense);
            nodes.output(depthwise);
        })) {
            both.agreesOn(Comparison.random(random, 1, 16, 9, 9));
        }
    }
}
