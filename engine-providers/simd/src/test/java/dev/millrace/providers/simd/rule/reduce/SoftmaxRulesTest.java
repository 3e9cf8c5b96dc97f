package dev.millrace.providers.simd.rule.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SoftmaxRulesTest {
    private final Random random = new Random(1);

    private static void check(String op, int opset, long axis, Tensor tensor) {
        var graph = new SmallGraph();
        graph.output(graph.node(op, opset, Map.of("axis", Attribute.of(axis)), graph.input(tensor)));
        graph.check(1e-6);
    }

    @Test
    void everyAxisIsDoneAsTheReferenceDoesIt() {
        for (long[] dims :
                List.of(new long[] {7}, new long[] {3, 17}, new long[] {2, 5, 1, 33}, new long[] {2, 1, 9})) {
            for (int axis = -dims.length; axis < dims.length; axis++) {
                check("Softmax", 13, axis, SmallGraph.random(random, dims));
                check("LogSoftmax", 13, axis, SmallGraph.random(random, dims));
            }
        }
    }

    @Test
    void theLargestOfEachLaneIsOne() {
        for (int axis = -3; axis < 3; axis++) {
            check("Hardmax", 13, axis, SmallGraph.random(random, 3, 17, 5));
            check("Hardmax", 11, axis, SmallGraph.random(random, 3, 4, 5));
        }
        check("Hardmax", 11, 3, SmallGraph.random(random, 3, 4, 5));
        check("Hardmax", 13, -1, Tensor.copyOf(new float[] {1, 2, 2, 3, 3, 3}, 2, 3));
        check("Hardmax", 13, 0, Tensor.copyOf(new float[] {1, 2, 2, 3, 2, 1}, 2, 3));
    }

    @Test
    void olderSoftmaxesRunOverAllAxesBehindTheirs() {
        for (int axis = 0; axis < 3; axis++) {
            check("Softmax", 11, axis, SmallGraph.random(random, 3, 4, 5));
            check("LogSoftmax", 1, axis, SmallGraph.random(random, 3, 4, 5));
        }
    }

    @Test
    void rowsWithInfinitiesAndNaN() {
        float infinity = Float.POSITIVE_INFINITY;
        float[] rows = {
            1, 2, 3, 4, //
            -infinity, 0, -infinity, 1, //
            -infinity, -infinity, -infinity, -infinity, //
            Float.NaN, 1, 2, 3, //
            88, -88, 1e30f, -1e30f, //
            1, infinity, 2, 3
        };
        check("Softmax", 13, -1, Tensor.copyOf(rows, 6, 4));
        check("Softmax", 13, 0, Tensor.copyOf(rows, 6, 4));
    }

    @Test
    void aTransposedInputIsMadeDenseFirst() {
        var graph = new SmallGraph();
        var in = graph.input(SmallGraph.random(random, 3, 4, 5));
        var turned = graph.node("Transpose", 13, Map.of("perm", Attribute.of(2, 0, 1)), in);
        graph.output(graph.node("Softmax", 13, Map.of(), turned));
        graph.check(1e-6);
        assertThat(graph.kernels()).containsExactly("copy", "softmax");
    }
}
