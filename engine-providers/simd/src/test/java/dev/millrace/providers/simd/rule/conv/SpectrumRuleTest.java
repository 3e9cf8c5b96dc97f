package dev.millrace.providers.simd.rule.conv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpectrumRuleTest {
    private static final String FAST = "transforms of";

    private final Random random = new Random(5);

    /** Rows of cosines (0) or of sines (1) under a window that is not symmetric. */
    private static float[] rows(int points, int part) {
        int frequencies = points / 2 + 1;
        float[] rows = new float[frequencies * points];
        for (int i = 0; i < frequencies; i++) {
            for (int k = 0; k < points; k++) {
                double window = Math.sin(Math.PI * k / points) + 0.2 * k / points;
                double angle = 2 * Math.PI * (i * k % points) / points;
                rows[i * points + k] = (float) (window * (part == 0 ? Math.cos(angle) : -Math.sin(angle)));
            }
        }
        return rows;
    }

    private static Tensor weights(int points, float[]... parts) {
        float[] all = new float[parts.length * parts[0].length];
        for (int i = 0; i < parts.length; i++) {
            System.arraycopy(parts[i], 0, all, i * parts[i].length, parts[i].length);
        }
        return Tensor.copyOf(all, all.length / points, 1, points);
    }

    private static Attributes strides(long stride) {
        return Attributes.of("strides", Attribute.of(new long[] {stride}));
    }

    /** Power by two convolutions, of a part of the transform each. */
    private static void power(GraphEditor editor, long stride, Tensor first, Tensor second) {
        var nodes = new Nodes(editor, 17);
        Value x = Comparison.floats(editor, "x", 3);
        Value one = nodes.add("Conv", strides(stride), x, nodes.constant(first));
        Value other = nodes.add("Conv", strides(stride), x, nodes.constant(second));
        Value power = nodes.add(
                "Add",
                Attributes.NONE,
                nodes.add("Mul", Attributes.NONE, one, one),
                nodes.add("Mul", Attributes.NONE, other, other));
        nodes.output(nodes.add("Transpose", Attributes.of("perm", Attribute.of(0, 2, 1)), power));
        nodes.output(nodes.add("Relu", Attributes.NONE, other));
    }

    @ParameterizedTest
    @CsvSource({"64,16,1,300,0", "128,50,2,640,1", "512,160,1,8000,0", "256,128,3,640,1", "256,64,1,320,0"})
    void twoConvolutionsAreOneTransform(int points, long stride, int batch, int length, int first) {
        Tensor one = weights(points, rows(points, first));
        Tensor other = weights(points, rows(points, 1 - first));
        try (var both = new Comparison(editor -> power(editor, stride, one, other))) {
            both.agreesOn(Comparison.random(random, batch, 1, length)).withoutFallback();
            assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith(FAST));
            assertThat(both.kernels()).noneMatch(kernel -> kernel.startsWith("gemm of windows"));
        }
    }

    @ParameterizedTest
    @CsvSource({"64,16,1,300,0", "256,128,2,640,1"})
    void oneConvolutionIsATransformOfBothParts(int points, long stride, int batch, int length, int first) {
        Tensor all = weights(points, rows(points, first), rows(points, 1 - first));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 17);
            Value x = Comparison.floats(editor, "x", 3);
            nodes.output(nodes.add("Conv", strides(stride), x, nodes.constant(all)));
        })) {
            both.agreesOn(Comparison.random(random, batch, 1, length)).withoutFallback();
            assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith(FAST));
        }
    }

    @Test
    void partsOfDifferentTransformsStayConvolutions() {
        float[] off = rows(128, 1);
        off[5000] *= 1.001f;
        try (var both = new Comparison(editor -> power(editor, 64, weights(128, rows(128, 0)), weights(128, off)))) {
            both.agreesOn(Comparison.random(random, 1, 1, 1000)).withoutFallback();
            assertThat(both.kernels()).noneMatch(kernel -> kernel.startsWith(FAST));
        }
    }
}
