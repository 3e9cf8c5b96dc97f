package dev.millrace.providers.cpu.norm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.Closeness;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of normalisations against their definitions in doubles. */
class NormKernelsTest {
    private static final float EPSILON = 0.01f;

    private final Random random = new Random(11);

    private Tensor normal(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private static Tensor floats(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    /** Mean and variance of the elements of each group. */
    private record Groups(double[] means, double[] variances) {
        static Groups of(double[] x, int count, IntUnaryOperator group) {
            double[] means = new double[count];
            double[] variances = new double[count];
            double[] sizes = new double[count];
            for (int i = 0; i < x.length; i++) {
                means[group.applyAsInt(i)] += x[i];
                sizes[group.applyAsInt(i)]++;
            }
            Arrays.setAll(means, g -> means[g] / sizes[g]);
            for (int i = 0; i < x.length; i++) {
                variances[group.applyAsInt(i)] += Math.pow(x[i] - means[group.applyAsInt(i)], 2);
            }
            Arrays.setAll(variances, g -> variances[g] / sizes[g]);
            return new Groups(means, variances);
        }

        double normalised(double x, int group) {
            return (x - means[group]) / Math.sqrt(variances[group] + EPSILON);
        }
    }

    private static void assertClose(Tensor actual, double[] expected) {
        Closeness.assertClose(actual.doubles(), expected, 1e-5);
    }

    private static double[] doubles(Datum datum) {
        return ((Tensor) datum).doubles();
    }

    @ParameterizedTest
    @CsvSource({"2 3 4, -1, 4", "2 3 4, 1, 12", "2 3 4, 0, 24", "5 1, -1, 1", "3 70001, 1, 70001", "1 2 3 5, -2, 15"})
    void aLayerIsNormalisedFromItsAxisOn(String dims, int axis, int length) {
        Tensor x = normal(numbers(dims));
        long[] rest =
                Arrays.copyOfRange(numbers(dims), Math.floorMod(axis, numbers(dims).length), numbers(dims).length);
        Tensor scale = normal(rest);
        Tensor bias = normal(rest);
        List<Datum> results = OneNode.onnx("LayerNormalization", 17)
                .with("axis", axis)
                .with("epsilon", Attribute.of(EPSILON))
                .outputs(3)
                .runAll(x, scale, bias);
        double[] all = x.doubles();
        int rows = all.length / length;
        Groups groups = Groups.of(all, rows, i -> i / length);
        double[] factors = scale.doubles();
        double[] shifts = bias.doubles();
        double[] expected = new double[all.length];
        Arrays.setAll(expected, i -> groups.normalised(all[i], i / length) * factors[i % length] + shifts[i % length]);
        assertClose((Tensor) results.getFirst(), expected);
        assertThat(doubles(results.get(1))).containsExactly(groups.means(), within(1e-6));
        double[] inverses = Arrays.stream(groups.variances())
                .map(v -> 1 / Math.sqrt(v + EPSILON))
                .toArray();
        assertThat(doubles(results.get(2))).containsExactly(inverses, within(1e-5));
        assertThat(((Tensor) results.get(2)).shape().rank()).isEqualTo(x.shape().rank());
    }

    @Test
    void scalesAndBiasesOfALayerAreBroadcast() {
        Tensor x = Tensor.copyOf(new float[] {-1, 1, -1, 1, 3, 5, -4, -2}, 2, 2, 2);
        Tensor y = OneNode.onnx("LayerNormalization", 17)
                .with("epsilon", Attribute.of(0f))
                .run(x, Tensor.copyOf(new float[] {1, 10}, 2, 1), Tensor.copyOf(new float[] {100, 200}, 2));
        assertClose(y, new double[] {99, 201, 90, 210, 99, 201, 90, 210});
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 0})
    void aRootMeanSquareIsBroughtToOneWithoutCentring(long axis) {
        Tensor x = normal(2, 3, 5);
        int length = axis == -1 ? 5 : axis == 1 ? 15 : 30;
        Tensor y = OneNode.onnx("RMSNormalization", 23)
                .with("axis", axis)
                .with("epsilon", Attribute.of(EPSILON))
                .run(x, Tensor.copyOf(new float[] {2}, 1));
        double[] all = x.doubles();
        double[] expected = new double[all.length];
        for (int i = 0; i < all.length; i++) {
            int begin = i / length * length;
            double squares =
                    Arrays.stream(all, begin, begin + length).map(v -> v * v).sum();
            expected[i] = 2 * all[i] / Math.sqrt(squares / length + EPSILON);
        }
        assertClose(y, expected);
    }

    @ParameterizedTest
    @CsvSource({"2 6 5, 3", "1 4 2 3, 1", "3 4 1, 4", "2 6 5, 6", "2 2 40 41, 2"})
    void channelsOfAGroupShareTheirMoments(String dims, int groups) {
        Tensor x = normal(numbers(dims));
        int channels = (int) x.shape().dim(1);
        int spatial = (int) x.shape().elements(2, x.shape().rank());
        int length = channels / groups * spatial;
        Tensor scale = normal(channels);
        Tensor bias = normal(channels);
        double[] all = x.doubles();
        Groups moments = Groups.of(all, all.length / length, i -> i / length);
        double[] expected = new double[all.length];
        Arrays.setAll(expected, i -> {
            int c = i / spatial % channels;
            return moments.normalised(all[i], i / length) * scale.doubles()[c] + bias.doubles()[c];
        });
        assertClose(
                OneNode.onnx("GroupNormalization", 21)
                        .with("num_groups", groups)
                        .with("epsilon", Attribute.of(EPSILON))
                        .run(x, scale, bias),
                expected);
        if (groups == channels) {
            assertClose(
                    OneNode.onnx("InstanceNormalization", 6)
                            .with("epsilon", Attribute.of(EPSILON))
                            .run(x, scale, bias),
                    expected);
        }
    }

    @Test
    void opset18ScalesByGroup() {
        Tensor x = Tensor.copyOf(new float[] {-1, 1, 3, 5, 1, 1, 7, 7}, 1, 4, 2);
        Tensor y = OneNode.onnx("GroupNormalization", 18)
                .with("num_groups", 2)
                .with("epsilon", Attribute.of(0f))
                .run(x, floats(10, 1), floats(0, 100));
        double a = 10 / Math.sqrt(5);
        assertClose(y, new double[] {-3 * a, -a, a, 3 * a, 99, 99, 101, 101});
    }

    @ParameterizedTest
    @ValueSource(strings = {"3 2 5", "1 3 1", "4 1 2 3", "2 3", "2 2 47 47"})
    void aBatchIsScaledByWhatRunsAlong(String dims) {
        Tensor x = normal(numbers(dims));
        int channels = (int) x.shape().dim(1);
        int spatial = (int) x.shape().elements(2, x.shape().rank());
        Tensor scale = normal(channels);
        Tensor bias = normal(channels);
        Tensor mean = normal(channels);
        Tensor variance = RandomTensors.uniform(random, 0.5f, 2, channels);
        double[] all = x.doubles();
        double[] expected = new double[all.length];
        Arrays.setAll(expected, i -> {
            int c = i / spatial % channels;
            double deviation = Math.sqrt(variance.doubles()[c] + EPSILON);
            return (all[i] - mean.doubles()[c]) / deviation * scale.doubles()[c] + bias.doubles()[c];
        });
        OneNode node = OneNode.onnx("BatchNormalization", 15).with("epsilon", Attribute.of(EPSILON));
        assertClose(node.run(x, scale, bias, mean, variance), expected);
        Tensor[] wide = new Tensor[] {x, scale, bias, mean, variance};
        for (int i = 0; i < wide.length; i++) {
            wide[i] = Tensor.copyOf(wide[i].doubles(), wide[i].shape().toArray());
        }
        Closeness.assertClose(node.run(wide).doubles(), expected, 1e-13);
    }

    @Test
    void trainingNormalisesByTheBatchAndMovesWhatRunsAlong() {
        Tensor x = normal(3, 2, 5);
        Tensor scale = floats(2, -1);
        Tensor bias = floats(1, 0);
        List<Datum> results = OneNode.onnx("BatchNormalization", 15)
                .with("epsilon", Attribute.of(EPSILON))
                .with("training_mode", 1)
                .with("momentum", Attribute.of(0.75f))
                .outputs(3)
                .runAll(x, scale, bias, floats(4, 8), floats(1, 2));
        double[] all = x.doubles();
        Groups batch = Groups.of(all, 2, i -> i / 5 % 2);
        double[] expected = new double[all.length];
        Arrays.setAll(expected, i -> {
            int c = i / 5 % 2;
            return batch.normalised(all[i], c) * scale.doubles()[c] + bias.doubles()[c];
        });
        assertClose((Tensor) results.getFirst(), expected);
        double[] means = {3 + batch.means()[0] / 4, 6 + batch.means()[1] / 4};
        assertThat(doubles(results.get(1))).containsExactly(means, within(1e-6));
        double[] variances = {0.75 + batch.variances()[0] / 4, 1.5 + batch.variances()[1] / 4};
        assertThat(doubles(results.get(2))).containsExactly(variances, within(1e-6));
    }

    @Test
    void linesAreDividedByTheirNorms() {
        Tensor x = Tensor.copyOf(new float[] {3, 0, -4, 0, 0, 0}, 3, 2);
        OneNode lp = OneNode.onnx("LpNormalization", 22).with("axis", 0);
        assertClose(lp.run(x), new double[] {0.6, 0, -0.8, 0, 0, 0});
        assertClose(lp.with("axis", -2).with("p", 1).run(x), new double[] {3 / 7.0, 0, -4 / 7.0, 0, 0, 0});
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 9})
    void aChannelIsDividedByItsNeighbours(int size) {
        int channels = 5;
        Tensor x = normal(2, channels, 3);
        Tensor y = OneNode.onnx("LRN", 13)
                .with("size", size)
                .with("alpha", Attribute.of(0.5f))
                .with("beta", Attribute.of(0.25f))
                .with("bias", Attribute.of(2f))
                .run(x);
        double[] all = x.doubles();
        double[] expected = new double[all.length];
        for (int i = 0; i < all.length; i++) {
            int c = i / 3 % channels;
            double squares = 0;
            for (int other = 0; other < channels; other++) {
                boolean isNear = other >= c - Math.floorDiv(size - 1, 2) && other <= c + Math.ceilDiv(size - 1, 2);
                squares += isNear ? Math.pow(all[i + (other - c) * 3], 2) : 0;
            }
            expected[i] = all[i] / Math.pow(2 + 0.5 / size * squares, 0.25);
        }
        assertClose(y, expected);
    }

    @Test
    void meanAndVarianceAreTakenOverAnyAxes() {
        Tensor x = normal(2, 3, 4, 5);
        double[] all = x.doubles();
        Groups byChannel = Groups.of(all, 3, i -> i / 20 % 3);
        double[] expected = new double[all.length];
        Arrays.setAll(
                expected,
                i -> (all[i] - byChannel.means()[i / 20 % 3])
                        / Math.sqrt(byChannel.variances()[i / 20 % 3]));
        assertClose(OneNode.onnx("MeanVarianceNormalization", 13).run(x), expected);
        Groups byRow = Groups.of(all, 24, i -> i / 5);
        Arrays.setAll(expected, i -> (all[i] - byRow.means()[i / 5]) / Math.sqrt(byRow.variances()[i / 5]));
        assertClose(
                OneNode.onnx("MeanVarianceNormalization", 13)
                        .withAll("axes", -1)
                        .run(x),
                expected);
    }

    @Test
    void whatIsNoNumberStaysInItsRow() {
        Tensor x = Tensor.copyOf(new float[] {1, Float.NaN, 5, 5, 1, Float.POSITIVE_INFINITY, -1, 1}, 4, 2);
        Tensor y = OneNode.onnx("LayerNormalization", 17)
                .with("epsilon", Attribute.of(EPSILON))
                .run(x, floats(1, 1));
        double one = 1 / Math.sqrt(1 + EPSILON);
        double nan = Double.NaN;
        assertThat(y.doubles()).usingComparatorWithPrecision(1e-6).containsExactly(nan, nan, 0, 0, nan, nan, -one, one);
    }

    @Test
    void nothingIsNormalisedToNothing() {
        Tensor none = Tensor.allocate(ElementType.FLOAT, Shape.of(0, 3));
        assertThat(OneNode.onnx("LayerNormalization", 17)
                        .run(none, floats(1, 1, 1))
                        .shape())
                .isEqualTo(none.shape());
        Tensor images = Tensor.allocate(ElementType.FLOAT, Shape.of(2, 0, 3));
        Tensor nobody = Tensor.allocate(ElementType.FLOAT, Shape.of(0));
        assertThat(OneNode.onnx("BatchNormalization", 15)
                        .run(images, nobody, nobody, nobody, nobody)
                        .shape())
                .isEqualTo(images.shape());
        assertThat(OneNode.onnx("LpNormalization", 22).run(images).shape()).isEqualTo(images.shape());
    }

    @Test
    void axesAndOperandsThatDoNotFitAreRefused() {
        Tensor x = normal(2, 4, 3);
        assertThatThrownBy(() ->
                        OneNode.onnx("LayerNormalization", 17).with("axis", 3).run(x, floats(1)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("axis 3");
        assertThatThrownBy(() -> OneNode.onnx("LayerNormalization", 17).run(x, floats(1, 2)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("LayerNormalization");
        assertThatThrownBy(() -> OneNode.onnx("GroupNormalization", 21)
                        .with("num_groups", 3)
                        .run(x, floats(1, 1, 1, 1), floats(1, 1, 1, 1)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("num_groups");
    }

    private static long[] numbers(String text) {
        return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
