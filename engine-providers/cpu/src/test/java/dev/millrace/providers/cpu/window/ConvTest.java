package dev.millrace.providers.cpu.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConvTest {

    /** On doubles the kernel sums straight from the definition; on floats it multiplies matrices of patches. */
    @ParameterizedTest
    @CsvSource({
        "1 3 17, 4 3 3, 1, 2, 1 1, 1",
        "2 4 9 11, 6 2 3 3, 2, 1 1, 1 1 1 1, 1 1",
        "2 4 9 11, 6 2 3 2, 2, 2 1, 0 1 2 0, 1 3",
        "1 5 40 33, 7 5 1 1, 1, 1 1, 0 0 0 0, 1 1",
        "1 70 6 6, 9 70 3 3, 1, 1 1, 1 1 1 1, 1 1",
        "2 6 13 10, 6 1 5 5, 6, 2 2, 2 2 2 2, 1 1",
        "1 6 13 10, 6 1 3 4, 6, 1 1, 0 1 1 0, 2 2",
        "1 6 13, 6 1 4, 6, 1, 3 0, 1",
        "1 6 13 10, 6 1 3 3, 6, 2 2, 1 -1 1 1, 1 1",
        "1 6 13 10, 6 1 3 3, 6, 1 1, -2 -1 1 -1, 1 1",
        "1 6 4 5, 6 1 3 3, 6, 1 1, -5 -6 8 8, 1 1",
        "1 6 13, 6 1 4, 6, 1, -3 0, 1",
        "2 4 9 11, 6 2 3 2, 2, 2 1, -1 -1 2 -2, 1 3",
        "1 5 6 7, 7 5 1 1, 1, 1 1, 0 2 0 -2, 1 1",
        "1 5 6 7, 5 1 1 1, 5, 1 1, 0 2 0 -2, 1 1",
        "1 9 13 10, 9 3 1 4, 3, 1 1, 0 1 1 0, 2 2",
        "1 2 4 5 6, 3 2 2 3 2, 1, 1 2 1, 1 0 1 0 1 0, 1 1 2",
        "1 2 4 5 6, 2 1 2 3 2, 2, 1 2 1, 1 0 1 0 1 0, 1 1 2"
    })
    void floatsAgreeWithTheDefinition(
            String image, String weights, int groups, String strides, String pads, String dilations) {
        long[] imageDims = numbers(image);
        long[] weightDims = numbers(weights);
        var random = new Random(3);
        float[] x = values(random, imageDims);
        float[] w = values(random, weightDims);
        float[] bias = values(random, weightDims[0]);
        OneNode conv = OneNode.onnx("Conv", 11)
                .with("group", groups)
                .withAll("strides", numbers(strides))
                .withAll("pads", numbers(pads))
                .withAll("dilations", numbers(dilations));
        Tensor floats =
                conv.run(Tensor.copyOf(x, imageDims), Tensor.copyOf(w, weightDims), Tensor.copyOf(bias, weightDims[0]));
        Tensor doubles = conv.run(wide(x, imageDims), wide(w, weightDims), wide(bias, weightDims[0]));
        assertThat(floats.shape()).isEqualTo(doubles.shape());
        assertThat(floats.doubles()).containsExactly(doubles.doubles(), within(1e-5));
    }

    /** The first and the last weight are infinite, and meet the padding at opposite borders of an image of ones. */
    @ParameterizedTest
    @CsvSource({
        "1 1 5 6, 1 1 3 3, 1, 1 1 1 1",
        "1 4 5 6, 4 1 3 3, 4, 1 1 1 1",
        "1 4 5 6, 4 4 3 3, 1, 1 1 1 1",
        "1 4 5 6, 4 2 3 3, 2, 0 0 2 2",
        "1 2 30, 2 1 3, 2, 1 1",
        "1 1 3 4 5, 2 1 3 3 3, 1, 1 1 1 1 1 1"
    })
    void paddingIsNotMultipliedByInfiniteWeights(String image, String weights, int group, String pads) {
        long[] imageDims = numbers(image);
        long[] weightDims = numbers(weights);
        float[] w = values(new Random(3), weightDims);
        w[0] = Float.POSITIVE_INFINITY;
        w[w.length - 1] = Float.NEGATIVE_INFINITY;
        float[] x = new float[values(new Random(3), imageDims).length];
        Arrays.fill(x, 1);
        OneNode conv = OneNode.onnx("Conv", 11).with("group", group).withAll("pads", numbers(pads));
        double[] floats = conv.run(Tensor.copyOf(x, imageDims), Tensor.copyOf(w, weightDims))
                .doubles();
        double[] doubles = conv.run(wide(x, imageDims), wide(w, weightDims)).doubles();
        assertThat(Arrays.stream(doubles).filter(Double::isFinite).count()).isPositive();
        for (int i = 0; i < doubles.length; i++) {
            if (Double.isFinite(doubles[i])) {
                assertThat(floats[i]).isCloseTo(doubles[i], within(1e-5));
            } else {
                assertThat(Double.toString(floats[i])).isEqualTo(Double.toString(doubles[i]));
            }
        }
    }

    private static long[] numbers(String text) {
        String[] parts = text.split(" ");
        long[] numbers = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            numbers[i] = Long.parseLong(parts[i]);
        }
        return numbers;
    }

    private static float[] values(Random random, long... dims) {
        return RandomTensors.uniform(random, -0.5f, 0.5f, dims).floats();
    }

    private static Tensor wide(float[] values, long... dims) {
        double[] wide = new double[values.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = values[i];
        }
        return Tensor.copyOf(wide, dims);
    }

    /** Without offsets, the columns of an image are its windows. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 40})
    void whatIsNotDeformedIsSeenAsItLies(int edge) {
        int images = 3;
        int out = edge - 1;
        float[] pixels =
                RandomTensors.normal(new Random(7), images * 2 * edge * edge).floats();
        float[] seen = OneNode.of(OpId.MILLRACE, "DeformColumns", 1)
                .run(
                        Tensor.copyOf(pixels, images, 2, edge, edge),
                        Tensor.copyOf(new float[24], 3, 2, 2, 2),
                        Tensor.copyOf(new float[images * 8 * out * out], images, 8, out, out))
                .floats();
        for (int i = 0; i < seen.length; i++) {
            int place = i % (out * out);
            int tap = i / (out * out) % 4;
            int plane = i / (out * out) / 4;
            int y = place / out + tap / 2;
            int x = place % out + tap % 2;
            assertThat(seen[i]).isEqualTo(pixels[(plane * edge + y) * edge + x]);
        }
    }

    /** Half a pixel further down and to the right lies the mean of four, of which those outside are zero. */
    @Test
    void offsetsAndSharesMovePoints() {
        float[] seen = OneNode.of(OpId.MILLRACE, "DeformColumns", 1)
                .run(
                        Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 1, 2, 2),
                        Tensor.copyOf(new float[1], 1, 1, 1, 1),
                        Tensor.copyOf(new float[] {0.5f, 0.5f, 0.5f, 9, 0.5f, 0.5f, 0.5f, 0}, 1, 2, 2, 2),
                        Tensor.copyOf(new float[] {1, 1, 2, 1}, 1, 1, 2, 2))
                .floats();
        assertThat(seen).containsExactly(2.5f, 1.5f, 3.5f, 0);
    }
}
