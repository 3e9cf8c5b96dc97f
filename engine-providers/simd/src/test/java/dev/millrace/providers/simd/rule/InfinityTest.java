package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InfinityTest {
    @ParameterizedTest
    @CsvSource({"1,1", "1,0", "0,1"})
    void infinitiesAreFoundBySign(int positive, int negative) {
        var graph = new SmallGraph();
        float infinity = Float.POSITIVE_INFINITY;
        Value in = graph.input(Tensor.copyOf(new float[] {1, infinity, -infinity, Float.NaN}, 4));
        Map<String, Attribute> wanted =
                Map.of("detect_positive", Attribute.of(positive), "detect_negative", Attribute.of(negative));
        graph.output(graph.node("IsInf", 20, wanted, in));
        graph.check(0);
    }
}
