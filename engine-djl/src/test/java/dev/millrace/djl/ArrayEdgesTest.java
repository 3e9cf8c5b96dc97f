package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of arguments that do not fit, of empty arrays, and of elements at the ends of their types. */
class ArrayEdgesTest {
    private static final long BIG = 1L << 53;

    private final NDManager manager = NDManager.newBaseManager("Millrace");
    private final NDArray table = manager.create(new float[] {3, 1, 2, -4, 0, 5}, new Shape(2, 3));

    @AfterEach
    void close() {
        manager.close();
    }

    private static void refuses(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining(message);
    }

    @Test
    void shapesThatNoArrayHasAreRefused() {
        refuses(() -> manager.zeros(new Shape(-1, -1)), "of the shape [-1, -1] is negative");
        refuses(() -> manager.zeros(new Shape(1 << 20, 1 << 20, 1 << 30)), "has 2 GB or more");
        refuses(() -> table.reshape(-1, -1), "more than one of -1");
        refuses(() -> manager.ones(new Shape(2, 1)).pad(new Shape(-1, -1), 0), "is negative");
        assertThat(manager.zeros(new Shape(0, 1 << 20, 1 << 20)).size()).isZero();
    }

    @Test
    void axesThatDoNotFitAreRefused() {
        refuses(() -> table.transpose(0, 0), "no order of axes [0, 0]");
        refuses(() -> table.flatten(1, 0), "axis 1 of (2, 3) stands behind axis 0");
        refuses(() -> table.rotate90(1, new int[] {0}), "a plane has two axes, not [0]");
        refuses(() -> table.rotate90(1, new int[] {1, -1}), "axis 1 twice");
        refuses(() -> table.diagonal(0, 1, 1), "axis 1 twice");
        refuses(() -> table.pad(new Shape(1, 1, 1), 0), "two numbers for each axis");
        NDArray five = manager.zeros(new Shape(1, 1, 1, 1, 3), DataType.UINT8);
        refuses(() -> five.getNDArrayInternal().toTensor(), "three axes, or four");
    }

    @Test
    void numbersThatDoNotFitAreRefused() {
        NDArray image = manager.ones(new Shape(3, 2, 2));
        refuses(() -> image.getNDArrayInternal().normalize(new float[1], new float[3]), "1 means and 3 deviations");
        refuses(() -> image.getNDArrayInternal().resize(0, 2, 1), "cannot be resized");
        NDArray empty = manager.zeros(new Shape(0, 2, 3));
        refuses(() -> empty.getNDArrayInternal().resize(2, 2, 1), "cannot be resized");
        refuses(() -> manager.arange(0, 1, 0, DataType.FLOAT32), "no step of 0");
        refuses(() -> table.diff(-1, 0), "-1 times");
    }

    @Test
    void emptyAxesHaveNoLargestPlace() {
        NDArray empty = manager.zeros(new Shape(2, 0));
        refuses(() -> empty.argMax(1), "no elements");
        refuses(() -> empty.argMin(1), "no elements");
        refuses(() -> empty.max(new int[] {1}), "no elements");
        assertThat(empty.softmax(1).getShape()).isEqualTo(new Shape(2, 0));
        assertThat(empty.logSoftmax(0).getShape()).isEqualTo(new Shape(2, 0));
        assertThat(ArrayText.of(empty.sum(new int[] {1}))).isEqualTo("float32 (2) [0, 0]");
        assertThat(ArrayText.of(empty.matMul(empty.transpose()))).isEqualTo("float32 (2, 2) [0, 0, 0, 0]");
        assertThat(empty.get(new NDIndex(":1, :")).getShape()).isEqualTo(new Shape(1, 0));
        assertThat(empty.unique(1, true, true, true).get(0).getShape()).isEqualTo(new Shape(2, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "UINT8, INT8, INT16",
        "INT8, UINT8, INT16",
        "UINT16, INT16, INT32",
        "UINT32, INT32, INT64",
        "UINT32, INT8, INT64",
        "INT8, UINT16, INT32",
        "UINT8, INT16, INT16",
        "UINT8, UINT16, UINT16",
        "BOOLEAN, UINT8, UINT8",
        "INT64, BFLOAT16, BFLOAT16",
        "BFLOAT16, FLOAT16, FLOAT32",
        "FLOAT16, FLOAT16, FLOAT16",
    })
    void aTypeWithTheElementsOfBothIsTaken(DataType one, DataType other, DataType common) {
        NDArray left = manager.create(new int[] {100}).toType(one, false);
        NDArray right = manager.create(new int[] {100}).toType(other, false);
        assertThat(left.add(right).getDataType()).isEqualTo(common);
        assertThat(left.concat(right).getDataType()).isEqualTo(common);
    }

    @Test
    void wholeNumbersWrapAround() {
        NDArray most = manager.create(new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE});
        assertThat(most.add(1).toIntArray()).containsExactly(Integer.MIN_VALUE, Integer.MIN_VALUE + 1);
        assertThat(most.neg().toIntArray()).containsExactly(-Integer.MAX_VALUE, Integer.MIN_VALUE);
        assertThat(manager.create(new byte[] {127}).add(1).toByteArray()).containsExactly(-128);
    }

    @Test
    void bigWholeNumbersAreOrderedAndWrittenExactly() {
        NDArray numbers = manager.create(new long[] {BIG + 1, BIG, BIG + 1, -BIG - 1});
        assertThat(numbers.argSort(0, true).toLongArray()).containsExactly(3, 1, 0, 2);
        assertThat(ArrayText.of(numbers.unique(null, true, true, true)))
                .isEqualTo(ArrayText.of(manager.create(new long[] {-BIG - 1, BIG, BIG + 1}))
                        + "; int64 (4) [2, 1, 2, 0]; int64 (3) [1, 1, 2]");
        assertThat(numbers.unique(null, true, false, false).get(0).toLongArray())
                .containsExactly(-BIG - 1, BIG, BIG + 1);
        numbers.set(new NDIndex("1"), BIG + 3);
        assertThat(numbers.toLongArray()).containsExactly(BIG + 1, BIG + 3, BIG + 1, -BIG - 1);
    }

    @Test
    void zerosAreEqualAndOrdersAreStable() {
        NDArray numbers = manager.create(new float[] {0f, -0f, Float.NaN, 1, 0f});
        assertThat(numbers.argSort(0, true).toLongArray()).containsExactly(0, 1, 4, 3, 2);
        assertThat(numbers.argSort(0, false).toLongArray()).containsExactly(2, 3, 0, 1, 4);
        assertThat(numbers.unique(null, true, false, true).get(2).toLongArray()).containsExactly(3, 1, 1);
    }

    @ParameterizedTest
    @CsvSource({"1e-20", "1e-9", "-0.3", "5", "1e9", "-1e200"})
    void inverseHyperbolicSinesHaveAllDigits(double x) {
        double found = manager.create(new double[] {x}).asinh().getDouble();
        double back =
                Math.abs(x) < 1e100 ? Math.sinh(found) : Math.signum(found) * Math.exp(Math.abs(found) - Math.log(2));
        assertThat(back / x).isCloseTo(1, within(1e-12));
    }

    @Test
    void functionsHaveTheirLimits() {
        assertThat(manager.create(new double[] {Double.POSITIVE_INFINITY})
                        .gammaln()
                        .getDouble())
                .isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(table.norm(0, new int[] {0, 1}, false).getFloat()).isEqualTo(5);
        assertThat(table.norm(1, new int[] {0, 1}, false).getFloat()).isEqualTo(15);
    }

    @ParameterizedTest
    @CsvSource({"INT8, -128, 127", "UINT8, 0, 255", "UINT16, 0, 65535", "INT16, -32768, 32767"})
    void resizedPixelsStayWithinTheirType(DataType type, double least, double most) {
        double[] edge = {least, least, most, most};
        NDArray image = manager.create(edge, new Shape(1, 4, 1)).toType(type, false);
        double[] resized = image.getNDArrayInternal()
                .resize(8, 1, 3)
                .toType(DataType.FLOAT64, false)
                .toDoubleArray();
        assertThat(resized).startsWith(least, least, least).endsWith(most, most, most);
        assertThat(resized).isSorted();
    }
}
