package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManyOperandsTest {
    @ParameterizedTest
    @CsvSource({"Sum,7", "Sum,8", "Sum,20", "Max,8", "Max,20", "Min,9", "Mean,8"})
    void areJoinedBesideOtherOperators(String operator, int count) {
        var random = new Random(count);
        Tensor[] given = new Tensor[count];
        for (int i = 0; i < count; i++) {
            given[i] = Comparison.random(random, 3, 5);
        }
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value[] inputs = new Value[count];
            for (int i = 0; i < count; i++) {
                inputs[i] = Comparison.floats(editor, "in" + i, 2);
            }
            Attributes none = Attributes.of(Map.of());
            nodes.output(nodes.add("Relu", none, nodes.add(operator, none, inputs)));
        })) {
            both.agreesOn(given);
        }
    }
}
