package dev.millrace.providers.cpu.quant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.Closeness;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of quantisation against its definition. Scales are powers of two, so that ties are exact. */
class QuantKernelsTest {
    private static final float INFINITY = Float.POSITIVE_INFINITY;

    private final Random random = new Random(17);

    private static OneNode quantize() {
        return OneNode.onnx("QuantizeLinear", 21);
    }

    private static OneNode dequantize() {
        return OneNode.onnx("DequantizeLinear", 21);
    }

    private static double[] doubles(Datum datum) {
        var tensor = (Tensor) datum;
        double[] values = new double[Math.toIntExact(tensor.elements())];
        Elements.read(tensor.type(), tensor.segment(), 0, values, 0, values.length);
        return values;
    }

    private static Tensor floats(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor whole(ElementType type, Shape shape, long... values) {
        var next = Arrays.stream(values).iterator();
        return RandomTensors.whole(type, shape, next::next);
    }

    private Tensor anyWhole(ElementType type, Shape shape) {
        long least = (long) Rounding.least(type);
        return RandomTensors.whole(type, shape, () -> least + random.nextLong(1L << type.bits()));
    }

    /** Multiples of an eighth, many of which lie in the middle of two steps. */
    private Tensor eighths(Shape shape, int range) {
        return RandomTensors.reals(ElementType.FLOAT, shape, () -> (random.nextInt(2 * range) - range) / 8.0);
    }

    private Tensor powersOfTwo(Shape shape) {
        return RandomTensors.reals(ElementType.FLOAT, shape, () -> Math.scalb(1.0, random.nextInt(4) - 3));
    }

    /** Returns the index of the scale of each element: of all, of a place on an axis, or of a block of an axis. */
    private static int[] scales(long[] dims, Shape scales, int axis, int block) {
        int[] indices = new int[(int) Shape.of(dims).elements()];
        for (int i = 0; i < indices.length; i++) {
            int rest = i;
            int[] at = new int[dims.length];
            for (int d = dims.length - 1; d >= 0; d--) {
                at[d] = (int) (rest % dims[d]);
                rest /= (int) dims[d];
            }
            if (block > 0) {
                at[axis] /= block;
                for (int d = 0; d < dims.length; d++) {
                    indices[i] = (int) (indices[i] * scales.dim(d) + at[d]);
                }
            } else {
                indices[i] = scales.rank() == 0 ? 0 : at[axis];
            }
        }
        return indices;
    }

    /**
     * The kinds of scales: one for all, one for each slice, and blocks along each axis, the last one cut short. There
     * are more elements than the 512 that a kernel widens at a time.
     */
    @ParameterizedTest
    @CsvSource({
        "'', 1, 0",
        "'2', 0, 0",
        "'6', 1, 0",
        "'90', -1, 0",
        "'1 6 90', 0, 2",
        "'2 2 90', 1, 4",
        "'2 6 45', 2, 2",
        "'2 6 23', -1, 4"
    })
    void everyElementHasItsScaleAndZeroInBothDirections(String scaleDims, int axis, int block) {
        long[] dims = {2, 6, 90};
        Shape scaleShape = Shape.of(numbers(scaleDims));
        Tensor scale = powersOfTwo(scaleShape);
        Tensor zero = anyWhole(ElementType.INT8, scaleShape);
        int[] group = scales(dims, scaleShape, Math.floorMod(axis, 3), block);
        Tensor x = eighths(Shape.of(dims), 400);
        double[] quantised = new double[group.length];
        Arrays.setAll(quantised, i -> {
            double steps = Math.rint(doubles(x)[i] / doubles(scale)[group[i]]);
            return Math.clamp(steps + doubles(zero)[group[i]], -128, 127);
        });
        Tensor q = quantize().with("axis", axis).with("block_size", block).run(x, scale, zero);
        assertThat(q.type()).isEqualTo(ElementType.INT8);
        Closeness.assertClose(doubles(q), quantised, 0);
        double[] real = new double[group.length];
        Arrays.setAll(real, i -> (quantised[i] - doubles(zero)[group[i]]) * doubles(scale)[group[i]]);
        Tensor back = dequantize().with("axis", axis).with("block_size", block).run(q, scale, zero);
        Closeness.assertClose(doubles(back), real, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"UINT8", "INT8", "UINT16", "INT16", "UINT4", "INT4"})
    void whatIsOutsideOfATypeBecomesItsEnd(ElementType type) {
        double least = Rounding.least(type);
        double most = Rounding.most(type);
        assertThat(most - least + 1).isEqualTo(Math.pow(2, type.bits()));
        Tensor x = floats(-1e30f, 1e30f, -INFINITY, INFINITY, 0.5f, 1.5f, 2.5f, -0.5f, Float.NaN);
        double[] expected = {least, most, least, most, 0, 2, 2, 0, least};
        Tensor zero = whole(type, Shape.SCALAR, 0);
        assertThat(doubles(quantize().run(x, Tensor.scalar(1f), zero))).containsExactly(expected);
        Tensor shifted = whole(type, Shape.SCALAR, 3);
        Arrays.setAll(expected, i -> i < 4 || i == 8 ? expected[i] : expected[i] + 3);
        assertThat(doubles(quantize().run(x, Tensor.scalar(1f), shifted))).containsExactly(expected);
    }

    /** The parts that a kernel widens at a time hold 512 numbers. */
    @ParameterizedTest
    @ValueSource(ints = {1, 511, 512, 513, 20_001})
    void longTensorsOfPackedNumbersAreMadeRealAndComeBack(int count) {
        Tensor q = anyWhole(ElementType.UINT4, Shape.of(count));
        Tensor zero = whole(ElementType.UINT4, Shape.SCALAR, 7);
        Tensor real = dequantize().run(q, Tensor.scalar(0.25f), zero);
        double[] expected = Arrays.stream(doubles(q)).map(v -> (v - 7) / 4).toArray();
        Closeness.assertClose(doubles(real), expected, 0);
        Closeness.assertClose(doubles(quantize().run(real, Tensor.scalar(0.25f), zero)), doubles(q), 0);
    }

    @Test
    void wideIntegersAreMadeRealWithoutAZero() {
        Tensor q = Tensor.copyOf(new int[] {Integer.MIN_VALUE, -1, 0, 3}, 4);
        assertThat(doubles(dequantize().run(q, Tensor.scalar(0.5f)))).containsExactly(-1073741824.0, -0.5, 0, 1.5);
    }

    @Test
    void smallFloatsAreSaturatedOrNot() {
        Tensor x = floats(1000, -1000, 1.0625f, 0.5f);
        Tensor zero = Tensor.allocate(ElementType.FLOAT8E4M3FN, Shape.SCALAR);
        assertThat(doubles(quantize().run(x, Tensor.scalar(1f), zero))).containsExactly(448, -448, 1, 0.5);
        assertThat(doubles(quantize().with("saturate", 0).run(x, Tensor.scalar(1f), zero)))
                .containsExactly(Double.NaN, Double.NaN, 1, 0.5);
    }

    @Test
    void before13AllChannelsHaveOneScale() {
        Tensor y = OneNode.onnx("QuantizeLinear", 10).run(floats(-1, 0.3f, 300), Tensor.scalar(0.5f));
        assertThat(y.type()).isEqualTo(ElementType.UINT8);
        assertThat(doubles(y)).containsExactly(0, 1, 255);
    }

    /** The range of the numbers and zero is divided into 255 steps. */
    @ParameterizedTest
    @ValueSource(strings = {"-1 0 2", "3 4 5", "-7 -3", "0 0", "5", "-0.25 1023.75"})
    void aScaleAndAZeroAreFoundInTheRange(String text) {
        double[] x =
                Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
        Tensor in = RandomTensors.reals(
                ElementType.FLOAT, Shape.of(x.length), Arrays.stream(x).iterator()::next);
        double low = Math.min(0, Arrays.stream(x).min().orElse(0));
        double high = Math.max(0, Arrays.stream(x).max().orElse(0));
        double scale = high == low ? 1 : (high - low) / 255;
        double zero = Math.rint(0 - low / scale);
        List<Datum> results =
                OneNode.onnx("DynamicQuantizeLinear", 11).outputs(3).runAll(in);
        assertThat(doubles(results.get(1))[0]).isCloseTo(scale, within(1e-6 * scale));
        assertThat(doubles(results.get(2))).containsExactly(zero);
        double[] expected =
                Arrays.stream(x).map(v -> Math.rint(v / scale) + zero).toArray();
        assertThat(doubles(results.getFirst())).containsExactly(expected, within(1.0));
        double[] back = Arrays.stream(doubles(results.getFirst()))
                .map(v -> (v - zero) * scale)
                .toArray();
        assertThat(back).containsExactly(x, within(0.51 * scale));
    }

    @Test
    void aRangeIsFoundInLongTensorsWithoutWhatIsNoNumber() {
        float[] x = new float[5000];
        Arrays.fill(x, Float.NaN);
        x[4999] = 51;
        x[1024] = -204;
        List<Datum> results =
                OneNode.onnx("DynamicQuantizeLinear", 11).outputs(3).runAll(floats(x));
        assertThat(((Tensor) results.get(1)).floats()).containsExactly(1);
        assertThat(doubles(results.get(2))).containsExactly(204);
        assertThat(doubles(results.getFirst())).endsWith(0, 255).contains(0);
    }

    private static OneNode rows(int gatherAxis, int quantizeAxis, int block) {
        return OneNode.of(OpId.MICROSOFT, "GatherBlockQuantized", 1)
                .with("gather_axis", gatherAxis)
                .with("quantize_axis", quantizeAxis)
                .with("block_size", block);
    }

    @Test
    void rowsOfATableAreLookedUpAndMadeReal() {
        Tensor table = anyWhole(ElementType.INT4, Shape.of(4, 40));
        Tensor scales = powersOfTwo(Shape.of(4, 3));
        Tensor zeros = anyWhole(ElementType.INT4, Shape.of(4, 3));
        Tensor indices = Tensor.copyOf(new long[] {3, -4, -1, 1}, 2, 2);
        Tensor y = rows(0, 1, 16).run(table, indices, scales, zeros);
        assertThat(y.shape()).isEqualTo(Shape.of(2, 2, 40));
        int[] wanted = {3, 0, 3, 1};
        double[] expected = new double[160];
        Arrays.setAll(expected, i -> {
            int row = wanted[i / 40];
            int block = row * 3 + i % 40 / 16;
            return (doubles(table)[row * 40 + i % 40] - doubles(zeros)[block]) * doubles(scales)[block];
        });
        assertThat(doubles(y)).containsExactly(expected);
    }

    /** Two numbers share a byte, the first one in its low bits. Without zeros the middle of the range is zero. */
    @Test
    void numbersInBytesAreUnpackedAlongTheLastAxis() {
        Tensor table = whole(
                ElementType.UINT8,
                Shape.of(2, 8),
                0x10,
                0x32,
                0x54,
                0x76,
                0x98,
                0xba,
                0xdc,
                0xfe,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0xf0);
        Tensor scales = Tensor.copyOf(new float[] {1, 2}, 2, 1);
        Tensor y = rows(0, 1, 16).run(table, Tensor.copyOf(new long[] {0, 1}, 2), scales);
        double[] expected = new double[32];
        Arrays.setAll(expected, i -> i < 16 ? i - 8 : i < 31 ? -16 : 14);
        assertThat(doubles(y)).containsExactly(expected);
        Tensor bytes = rows(0, 1, 16)
                .with("bits", 8)
                .run(
                        whole(ElementType.UINT8, Shape.of(1, 2), 0, 255),
                        Tensor.copyOf(new long[] {0}, 1),
                        Tensor.copyOf(new float[] {1}, 1, 1));
        assertThat(doubles(bytes)).containsExactly(-128, 127);
    }

    @Test
    void rowsOutsideOfATableAreRefused() {
        Tensor table = anyWhole(ElementType.INT4, Shape.of(4, 16));
        Tensor scales = powersOfTwo(Shape.of(4, 1));
        for (long index : new long[] {4, -5}) {
            assertThatThrownBy(() -> rows(0, 1, 16).run(table, Tensor.copyOf(new long[] {index}, 1), scales))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("index " + index + " is outside a table of 4 rows");
        }
    }

    @Test
    void nothingIsQuantisedToNothing() {
        Tensor none = Tensor.allocate(ElementType.FLOAT, Shape.of(3, 0));
        Tensor zero = whole(ElementType.UINT8, Shape.SCALAR, 1);
        assertThat(quantize().run(none, Tensor.scalar(1f), zero).shape()).isEqualTo(none.shape());
        Tensor q = Tensor.allocate(ElementType.UINT8, Shape.of(3, 0));
        assertThat(dequantize().run(q, Tensor.scalar(1f), zero).type()).isEqualTo(ElementType.FLOAT);
    }

    private static long[] numbers(String text) {
        return text.isEmpty()
                ? new long[0]
                : Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
