package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RankRulesTest {
    private final Random random = new Random(5);

    /** Few different numbers, so that many are equal. */
    private Tensor repeated(long... dims) {
        float[] values = SmallGraph.random(random, dims).floats();
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.round(2 * values[i]);
        }
        return Tensor.copyOf(values, dims);
    }

    @Test
    void placesOfTheBest() {
        for (int axis = -3; axis < 3; axis++) {
            var graph = new SmallGraph();
            Value in = graph.input(repeated(5, 1, 19));
            for (String operator : new String[] {"ArgMax", "ArgMin"}) {
                for (int last = 0; last < 2; last++) {
                    Map<String, Attribute> attributes = Map.of(
                            "axis",
                            Attribute.of(axis),
                            "select_last_index",
                            Attribute.of(last),
                            "keepdims",
                            Attribute.of(last));
                    graph.output(graph.node(operator, 13, attributes, in));
                }
            }
            graph.check(0);
        }
    }

    @Test
    void theLargestAndTheSmallest() {
        for (int axis = 0; axis < 3; axis++) {
            for (int largest = 0; largest < 2; largest++) {
                var graph = new SmallGraph();
                Value in = graph.input(repeated(5, 4, 19));
                Value k = graph.constant(Tensor.copyOf(new long[] {4}, 1));
                Map<String, Attribute> attributes =
                        Map.of("axis", Attribute.of(axis), "largest", Attribute.of(largest));
                var both = graph.nodes(2, "TopK", 11, attributes, in, k);
                var places = graph.nodes(2, "TopK", 11, attributes, in, k);
                graph.output(both.get(0), both.get(1), places.get(1));
                graph.check(0);
            }
        }
    }

    @Test
    void runningSums() {
        for (int axis = 0; axis < 3; axis++) {
            for (int way = 0; way < 4; way++) {
                var graph = new SmallGraph();
                Value floats = graph.input(SmallGraph.random(random, 3, 4, 21));
                Value ints = graph.input(Tensor.copyOf(random.ints(252).toArray(), 3, 4, 21));
                Value along = graph.constant(Tensor.scalar((long) axis));
                Map<String, Attribute> attributes =
                        Map.of("exclusive", Attribute.of(way / 2), "reverse", Attribute.of(way % 2));
                graph.output(
                        graph.node("CumSum", 14, attributes, floats, along),
                        graph.node("CumSum", 14, attributes, ints, along));
                graph.check(1e-6);
            }
        }
    }

    @Test
    void runningSumsOfNumbersOf64Bits() {
        for (int way = 0; way < 4; way++) {
            var graph = new SmallGraph();
            double[] reals = random.doubles(252).toArray();
            Value doubles = graph.input(Tensor.copyOf(reals, 3, 4, 21));
            Value longs = graph.input(Tensor.copyOf(random.longs(252).toArray(), 3, 4, 21));
            Value along = graph.constant(Tensor.scalar(1L));
            Map<String, Attribute> attributes =
                    Map.of("exclusive", Attribute.of(way / 2), "reverse", Attribute.of(way % 2));
            graph.output(
                    graph.node("CumSum", 14, attributes, doubles, along),
                    graph.node("CumSum", 14, attributes, longs, along));
            if (way < 2) {
                graph.output(graph.node("CumProd", 26, attributes, doubles, along));
            }
            graph.check(1e-15);
        }
    }

    @Test
    void runningProductsOfInts() {
        for (int axis = 0; axis < 3; axis++) {
            for (int exclusive = 0; exclusive < 2; exclusive++) {
                var graph = new SmallGraph();
                int[] odd = random.ints(444, -9, 9).map(i -> 2 * i + 1).toArray();
                Value ints = graph.input(Tensor.copyOf(odd, 3, 4, 37));
                Value along = graph.constant(Tensor.scalar((long) axis));
                Map<String, Attribute> attributes = Map.of("exclusive", Attribute.of(exclusive));
                graph.output(graph.node("CumProd", 26, attributes, ints, along));
                graph.check(0);
            }
        }
    }
}
