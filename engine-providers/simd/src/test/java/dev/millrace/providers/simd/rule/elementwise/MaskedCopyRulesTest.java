package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MaskedCopyRulesTest {
    private final Random random = new Random(6);

    private Tensor random(ElementType type, long... dims) {
        if (type == ElementType.DOUBLE) {
            var count = new AtomicInteger();
            return RandomTensors.reals(type, Shape.of(dims), count::incrementAndGet);
        }
        return RandomTensors.whole(type, Shape.of(dims), random::nextLong);
    }

    private Tensor truths(long... dims) {
        return random(ElementType.BOOL, dims);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT64", "UINT64", "DOUBLE"})
    void conditionsChooseElementsOfTwoWords(ElementType type) {
        long[][][] shapes = {
            {{5, 7}, {5, 7}, {5, 7}},
            {{7}, {5, 1}, {5, 7}},
            {{5, 1}, {5, 7}, {}},
            {{5, 7}, {7}, {1}},
            {{3, 1, 7}, {5, 7}, {3, 5, 1}},
            {{1, 1}, {5, 7}, {1, 7}},
            {{}, {}, {}}
        };
        for (long[][] each : shapes) {
            var graph = new SmallGraph();
            Value condition = graph.input(truths(each[0]));
            Value yes = graph.input(random(type, each[1]));
            Value no = graph.input(random(type, each[2]));
            graph.output(graph.node("Where", 16, Map.of(), condition, yes, no));
            graph.check(0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT64", "DOUBLE", "FLOAT", "INT32", "FLOAT16", "INT16", "UINT8", "BOOL"})
    void trianglesAreKeptWhateverTheirBitsMean(ElementType type) {
        for (int upper = 0; upper < 2; upper++) {
            for (long shift = -4; shift < 7; shift += 2) {
                var graph = new SmallGraph();
                Value wide = graph.input(random(type, 3, 4, 6));
                Value high = graph.input(random(type, 6, 4));
                Value by = graph.constant(Tensor.scalar(shift));
                Map<String, Attribute> attributes = Map.of("upper", Attribute.of(upper));
                graph.output(
                        graph.node("Trilu", 14, attributes, wide, by),
                        graph.node("Trilu", 14, attributes, high, by),
                        graph.node("Trilu", 14, attributes, high));
                graph.check(0);
            }
        }
    }
}
