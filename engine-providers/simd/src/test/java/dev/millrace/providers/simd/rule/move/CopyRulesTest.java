package dev.millrace.providers.simd.rule.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CopyRulesTest {
    private final Random random = new Random(6);

    @Test
    void castsBetweenAllNumbers() {
        List<ElementType> types = List.of(
                ElementType.FLOAT,
                ElementType.DOUBLE,
                ElementType.FLOAT16,
                ElementType.BFLOAT16,
                ElementType.INT64,
                ElementType.INT32,
                ElementType.INT16,
                ElementType.INT8,
                ElementType.UINT8,
                ElementType.BOOL);
        var graph = new SmallGraph();
        Value floats = graph.input(Tensor.copyOf(new float[] {0, 1.6f, 2, 3.5f, 100, 7.25f, 0.5f}, 7));
        for (ElementType from : types) {
            Value numbers = graph.node("Cast", 13, to(from), floats);
            for (ElementType to : types) {
                graph.output(graph.node("Cast", 13, to(to), numbers));
            }
        }
        graph.check(1e-3);
    }

    private static Map<String, Attribute> to(ElementType type) {
        return Map.of("to", Attribute.of(type.code()));
    }

    @Test
    void tiles() {
        for (long[] repeats :
                List.of(new long[] {1, 1, 1}, new long[] {2, 3, 1}, new long[] {1, 5, 1}, new long[] {2, 1, 3})) {
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, 3, 1, 5));
            Value times = graph.constant(Tensor.copyOf(repeats, 3));
            Value turned = graph.node("Transpose", 13, Map.of("perm", Attribute.of(2L, 1L, 0L)), in);
            graph.output(
                    graph.node("Tile", 13, Map.of(), in, times),
                    graph.node("Relu", 14, Map.of(), graph.node("Tile", 13, Map.of(), turned, times)));
            graph.check(0);
        }
    }

    @Test
    void blocksOfPixels() {
        var graph = new SmallGraph();
        Value deep = graph.input(SmallGraph.random(random, 2, 12, 3, 5));
        Value wide = graph.input(SmallGraph.random(random, 2, 3, 6, 4));
        Map<String, Attribute> two = Map.of("blocksize", Attribute.of(2));
        graph.output(
                graph.node("DepthToSpace", 13, two, deep),
                graph.node("DepthToSpace", 13, Map.of("blocksize", Attribute.of(2), "mode", Attribute.of("CRD")), deep),
                graph.node("SpaceToDepth", 13, two, wide));
        graph.check(0);
        assertThat(graph.kernels()).containsExactly("copy", "copy", "copy");
    }
}
