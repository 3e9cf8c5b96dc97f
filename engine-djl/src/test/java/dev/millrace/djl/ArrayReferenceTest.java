package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of moves, sorts, products and resizes against plain loops. */
class ArrayReferenceTest {
    private static final int A = 3;
    private static final int B = 4;
    private static final int C = 5;

    private final NDManager manager = NDManager.newBaseManager("Millrace");
    private final Random random = new Random(7);

    @AfterEach
    void close() {
        manager.close();
    }

    private interface Element {
        double at(int a, int b, int c);
    }

    private static double[] elements(int as, int bs, int cs, Element element) {
        double[] elements = new double[as * bs * cs];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = element.at(i / cs / bs, i / cs % bs, i % cs);
        }
        return elements;
    }

    private static double[] numbers(NDArray array) {
        return array.toType(DataType.FLOAT64, false).toDoubleArray();
    }

    @ParameterizedTest
    @EnumSource(
            value = DataType.class,
            names = {"UINT8", "INT16", "FLOAT16", "INT32", "FLOAT32", "INT64", "FLOAT64"})
    void movesOfEachWidthAgreeWithLoops(DataType type) {
        Element number = (a, b, c) -> (a * B + b) * C + c;
        NDArray cube =
                manager.create(elements(A, B, C, number), new Shape(A, B, C)).toType(type, false);
        assertThat(numbers(cube.transpose(2, 0, 1))).isEqualTo(elements(C, A, B, (c, a, b) -> number.at(a, b, c)));
        assertThat(numbers(cube.transpose(0, 2, 1))).isEqualTo(elements(A, C, B, (a, c, b) -> number.at(a, b, c)));
        assertThat(numbers(cube.get(new NDIndex("1:, ::2, ::-1"))))
                .isEqualTo(elements(A - 1, B / 2, C, (a, b, c) -> number.at(a + 1, 2 * b, C - 1 - c)));
        assertThat(numbers(cube.get(new NDIndex(":, 1:3"))))
                .isEqualTo(elements(A, 2, C, (a, b, c) -> number.at(a, b + 1, c)));
        assertThat(numbers(cube.split(2, 1).get(1))).isEqualTo(elements(A, 2, C, (a, b, c) -> number.at(a, b + 2, c)));
        assertThat(numbers(cube.get(new NDIndex(":, 1:2, :1")).broadcast(new Shape(A, B, C))))
                .isEqualTo(elements(A, B, C, (a, _, _) -> number.at(a, 1, 0)));
        assertThat(numbers(cube.get(new NDIndex(":, 2:")).concat(cube.get(new NDIndex(":, :2")), 1)))
                .isEqualTo(elements(A, B, C, (a, b, c) -> number.at(a, (b + 2) % B, c)));
        assertThat(numbers(cube.diagonal(1, 1, 2))).isEqualTo(elements(1, A, B, (_, a, b) -> number.at(a, b, b + 1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 64, 1000})
    void ordersAndDifferentElementsAgreeWithLoops(int count) {
        int[] numbers = random.ints(count, 0, 50).toArray();
        NDArray array = manager.create(numbers, new Shape(count));
        assertThat(array.argSort(0, true).toLongArray())
                .isEqualTo(IntStream.range(0, count)
                        .boxed()
                        .sorted((one, other) -> Integer.compare(numbers[one], numbers[other]))
                        .mapToLong(Integer::longValue)
                        .toArray());
        var unique = array.unique(null, true, true, true);
        int[] different = IntStream.of(numbers).sorted().distinct().toArray();
        assertThat(unique.get(0).toIntArray()).isEqualTo(different);
        long[] inverse = unique.get(1).toLongArray();
        assertThat(IntStream.range(0, count)
                        .map(i -> different[(int) inverse[i]])
                        .toArray())
                .isEqualTo(numbers);
        assertThat(unique.get(2).toLongArray())
                .isEqualTo(IntStream.of(different)
                        .mapToLong(each ->
                                IntStream.of(numbers).filter(i -> i == each).count())
                        .toArray());
    }

    @Test
    void differentPartsAlongAnAxisAreFound() {
        NDArray columns = manager.create(new int[] {2, 1, 2, 1, 0, 5, 0, 4}, new Shape(2, 4));
        assertThat(ArrayText.of(columns.unique(1, true, true, true)))
                .isEqualTo("int32 (2, 3) [1, 1, 2, 4, 5, 0]; int64 (4) [2, 1, 2, 0]; int64 (3) [1, 1, 2]");
    }

    @Test
    void productsOfBatchesAgreeWithLoops() {
        double[] left = random.doubles(2L * A * B).toArray();
        double[] right = random.doubles(2L * B * C).toArray();
        NDArray product = manager.create(left, new Shape(2, A, B)).matMul(manager.create(right, new Shape(2, B, C)));
        double[] expected = elements(
                2,
                A,
                C,
                (batch, row, column) -> IntStream.range(0, B)
                        .mapToDouble(k -> left[(batch * A + row) * B + k] * right[(batch * B + k) * C + column])
                        .sum());
        assertThat(product.toDoubleArray()).containsExactly(expected, within(1e-12));
    }

    @Test
    void softmaxAlongEachAxisAgreesWithLoops() {
        double[] given = random.doubles((long) A * B * C, -900, 900).toArray();
        NDArray cube = manager.create(given, new Shape(A, B, C));
        Element number = (a, b, c) -> given[(a * B + b) * C + c];
        double[] expected = elements(
                A,
                B,
                C,
                (a, b, c) -> 1
                        / IntStream.range(0, B)
                                .mapToDouble(k -> Math.exp(number.at(a, k, c) - number.at(a, b, c)))
                                .sum());
        assertThat(cube.softmax(1).toDoubleArray()).containsExactly(expected, within(1e-12));
        assertThat(cube.logSoftmax(1).exp().toDoubleArray()).containsExactly(expected, within(1e-12));
    }

    @Test
    void imagesAgreeWithLoops() {
        double[] pixels = random.ints((long) A * B * 3, 0, 256).asDoubleStream().toArray();
        NDArray image = manager.create(pixels, new Shape(A, B, 3)).toType(DataType.UINT8, false);
        Element pixel = (y, x, channel) -> pixels[(y * B + x) * 3 + channel];
        NDArray tensor = image.getNDArrayInternal().toTensor();
        assertThat(numbers(tensor))
                .containsExactly(elements(3, A, B, (channel, y, x) -> pixel.at(y, x, channel) / 255), within(1e-6));
        NDArray batch = image.expandDims(0).concat(image.flip(0).expandDims(0));
        assertThat(batch.getNDArrayInternal().toTensor().get(1).toFloatArray())
                .isEqualTo(image.flip(0).getNDArrayInternal().toTensor().toFloatArray());
        NDArray same = image.getNDArrayInternal().resize(B, A, 3);
        assertThat(numbers(same)).isEqualTo(pixels);
        NDArray floats = image.toType(DataType.FLOAT32, false);
        floats.getNDArrayInternal().resize(B, A, 1).addi(1);
        assertThat(numbers(floats)).as("the image that was resized").isEqualTo(pixels);
        NDArray normal = tensor.getNDArrayInternal().normalize(new float[] {.1f, .2f, .3f}, new float[] {1, 2, 4});
        assertThat(numbers(normal))
                .containsExactly(
                        elements(
                                3,
                                A,
                                B,
                                (channel, y, x) ->
                                        (pixel.at(y, x, channel) / 255 - (channel + 1) / 10.0) / (1 << channel)),
                        within(1e-6));
        NDArray halved = image.get(new NDIndex(":2")).getNDArrayInternal().resize(2, 1, 2);
        assertThat(numbers(halved))
                .isEqualTo(elements(
                        1,
                        2,
                        3,
                        (_, x, channel) -> Math.rint((pixel.at(0, 2 * x, channel)
                                        + pixel.at(1, 2 * x, channel)
                                        + pixel.at(0, 2 * x + 1, channel)
                                        + pixel.at(1, 2 * x + 1, channel))
                                / 4)));
    }
}
