package dev.millrace.providers.simd.rule.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IndexRulesTest {
    private final Random random = new Random(4);

    private long[] indices(int count, int limit) {
        return random.longs(count, -limit, limit).toArray();
    }

    private static int[] narrow(long[] numbers) {
        int[] ints = new int[numbers.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = (int) numbers[i];
        }
        return ints;
    }

    @Test
    void gathersAlongEveryAxis() {
        long[] dims = {5, 3, 7};
        for (int axis = -3; axis < 3; axis++) {
            long[] numbers = indices(6, (int) dims[Math.floorMod(axis, 3)]);
            Map<String, Attribute> along = Map.of("axis", Attribute.of(axis));
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, dims));
            Value bytes = graph.input(Tensor.copyOf(new byte[105], dims));
            Value wide = graph.input(Tensor.copyOf(numbers, 2, 3));
            Value small = graph.input(Tensor.copyOf(narrow(numbers), 6));
            Value one = graph.input(Tensor.scalar(numbers[0]));
            graph.output(
                    graph.node("Gather", 13, along, in, wide),
                    graph.node("Gather", 13, along, in, small),
                    graph.node("Gather", 13, along, in, one),
                    graph.node("Gather", 13, along, bytes, wide));
            graph.check(0);
        }
    }

    @Test
    void knownIndicesAtEvenDistancesAreViews() {
        for (long[] numbers : List.of(new long[] {1}, new long[] {0, 2, 4}, new long[] {2, 2}, new long[] {-1})) {
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, 3, 5, 4));
            Value known = graph.constant(Tensor.copyOf(numbers, numbers.length));
            Value chosen = graph.node("Gather", 13, Map.of("axis", Attribute.of(1)), in, known);
            graph.output(graph.node("Relu", 14, Map.of(), chosen));
            graph.check(0);
            assertThat(graph.kernels()).hasSize(1);
        }
        var graph = new SmallGraph();
        Value in = graph.input(SmallGraph.random(random, 3, 5, 4));
        Value known = graph.constant(Tensor.copyOf(new long[] {3, 1, 1}, 3));
        graph.output(graph.node("Gather", 13, Map.of("axis", Attribute.of(1)), in, known));
        graph.check(0);
    }

    @Test
    void anIndexThatIsOutOfRangeIsTheCallersFault() {
        for (String operator : List.of("Gather", "GatherElements", "GatherND")) {
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, 5));
            graph.output(graph.node(operator, 13, Map.of(), in, graph.input(Tensor.copyOf(new long[] {5}, 1))));
            assertThatThrownBy(graph::run)
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("index 5")
                    .extracting(e -> ((EngineException) e).status())
                    .isEqualTo(Status.INVALID_ARGUMENT);
        }
    }

    @Test
    void elementsAlongEveryAxis() {
        long[] dims = {4, 3, 6};
        for (int axis = 0; axis < 3; axis++) {
            Map<String, Attribute> along = Map.of("axis", Attribute.of(axis));
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, dims));
            Value longs = graph.input(Tensor.copyOf(indices(72, 1000), dims));
            Value chosen = graph.input(Tensor.copyOf(indices(20, (int) dims[axis]), 2, 2, 5));
            Value updates = graph.input(SmallGraph.random(random, 2, 2, 5));
            graph.output(
                    graph.node("GatherElements", 13, along, in, chosen),
                    graph.node("GatherElements", 13, along, longs, chosen),
                    graph.node("ScatterElements", 13, along, in, chosen, updates));
            graph.check(0);
        }
    }

    @Test
    void tuplesOfIndices() {
        for (int length = 1; length < 4; length++) {
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, 4, 3, 6));
            Value chosen = graph.input(Tensor.copyOf(indices(7 * length, 3), 7, length));
            long[] ofUpdates = new long[4 - length];
            ofUpdates[0] = 7;
            System.arraycopy(new long[] {4, 3, 6}, length, ofUpdates, 1, 3 - length);
            Value value = graph.input(SmallGraph.random(random, ofUpdates));
            graph.output(
                    graph.node("GatherND", 13, Map.of(), in, chosen),
                    graph.node("ScatterND", 13, Map.of(), in, chosen, value));
            // single numbers are combined by the other provider
            for (String reduction : length == 3 ? List.<String>of() : List.of("add", "mul", "min", "max")) {
                Map<String, Attribute> attributes = Map.of("reduction", Attribute.of(reduction));
                graph.output(graph.node("ScatterND", 18, attributes, in, chosen, value));
            }
            graph.check(1e-6);
        }
    }
}
