package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.internal.NDArrayEx;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the functions of arrays, element by element. Expected values are exact to their digits. */
class ArrayFunctionsTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");

    @AfterEach
    void close() {
        manager.close();
    }

    private NDArray floats(float... values) {
        return manager.create(values);
    }

    private NDArray ints(int... values) {
        return manager.create(values);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log10 | [NaN, NaN, NaN, -Infinity, -0.6021, 0, 0.3979]",
                "log2 | [NaN, NaN, NaN, -Infinity, -2, 0, 1.322]",
                "tan | [-14.1, -1.557, -0.5463, 0, 0.2553, 1.557, -0.747]",
                "asin | [NaN, -1.571, -0.5236, 0, 0.2527, 1.571, NaN]",
                "acos | [NaN, 3.142, 2.094, 1.571, 1.318, 0, NaN]",
                "atan | [-0.9828, -0.7854, -0.4636, 0, 0.245, 0.7854, 1.19]",
                "sinh | [-2.129, -1.175, -0.5211, 0, 0.2526, 1.175, 6.05]",
                "cosh | [2.352, 1.543, 1.128, 1, 1.031, 1.543, 6.132]",
                "asinh | [-1.195, -0.8814, -0.4812, 0, 0.2475, 0.8814, 1.647]",
                "acosh | [NaN, NaN, NaN, NaN, NaN, 0, 1.567]",
                "atanh | [NaN, -Infinity, -0.5493, 0, 0.2554, Infinity, NaN]",
                "cbrt | [-1.145, -1, -0.7937, 0, 0.63, 1, 1.357]",
                "toDegrees | [-85.94, -57.3, -28.65, 0, 14.32, 57.3, 143.2]",
                "toRadians | [-0.02618, -0.01745, -0.008727, 0, 0.004363, 0.01745, 0.04363]",
                "trunc | [-1, -1, 0, 0, 0, 1, 2]",
                "erf | [-0.9661, -0.8427, -0.5205, 0, 0.2763, 0.8427, 0.9996]",
                "erfinv | [NaN, -Infinity, -0.4769, 0, 0.2253, Infinity, NaN]",
                "gammaln | [0.86, Infinity, 1.266, Infinity, 1.288, 0, 0.2847]",
                "softPlus | [0.2014, 0.3133, 0.4741, 0.6931, 0.8259, 1.313, 2.579]",
                "softSign | [-0.6, -0.5, -0.3333, 0, 0.2, 0.5, 0.7143]",
                "leakyRelu | [-0.15, -0.1, -0.05, 0, 0.25, 1, 2.5]",
                "elu | [-0.3884, -0.3161, -0.1967, 0, 0.25, 1, 2.5]",
                "selu | [-1.366, -1.111, -0.6918, 0, 0.2627, 1.051, 2.627]",
                "gelu | [-0.1002, -0.1587, -0.1543, 0, 0.1497, 0.8413, 2.484]",
                "mish | [-0.2981, -0.3034, -0.2207, 0, 0.1696, 0.8651, 2.471]",
                "swish | [-0.2736, -0.2689, -0.1888, 0, 0.1405, 0.7311, 2.31]"
            })
    void functionsAreComputed(String name, String expected) {
        NDArray array = floats(-1.5f, -1, -0.5f, 0, 0.25f, 1, 2.5f);
        assertThat(ArrayText.of(called(name, array))).isEqualTo("float32 (7) " + expected);
    }

    private static NDArray called(String name, NDArray array) {
        NDArrayEx inner = array.getNDArrayInternal();
        return switch (name) {
            case "log10" -> array.log10();
            case "log2" -> array.log2();
            case "tan" -> array.tan();
            case "asin" -> array.asin();
            case "acos" -> array.acos();
            case "atan" -> array.atan();
            case "sinh" -> array.sinh();
            case "cosh" -> array.cosh();
            case "asinh" -> array.asinh();
            case "acosh" -> array.acosh();
            case "atanh" -> array.atanh();
            case "cbrt" -> array.cbrt();
            case "toDegrees" -> array.toDegrees();
            case "toRadians" -> array.toRadians();
            case "trunc" -> array.trunc();
            case "erf" -> array.erf();
            case "erfinv" -> array.erfinv();
            case "gammaln" -> array.gammaln();
            case "softPlus" -> inner.softPlus();
            case "softSign" -> inner.softSign();
            case "leakyRelu" -> inner.leakyRelu(0.1f);
            case "elu" -> inner.elu(0.5f);
            case "selu" -> inner.selu();
            case "gelu" -> inner.gelu();
            case "mish" -> inner.mish();
            case "swish" -> inner.swish(1);
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Test
    void remaindersHaveTheSignOfTheDivisor() {
        NDArray numbers = ints(-3, -1, 0, 2, 5);
        assertThat(numbers.mod(ints(2, 2, 2, -3, 3)).toIntArray()).containsExactly(1, 1, 0, -1, 2);
        assertThat(numbers.mod(2).toIntArray()).containsExactly(1, 1, 0, 0, 1);
        assertThat(numbers.mod(2.5f).toFloatArray()).containsExactly(2, 1.5f, 0, 2, 0);
        assertThat(NDArrays.mod(7, ints(2, -4)).toIntArray()).containsExactly(1, -1);
    }

    @Test
    void functionsOfTwoArraysAreComputed() {
        NDArray left = floats(-3, 0, 2);
        NDArray right = floats(2, 2, -3);
        assertThat(ArrayText.of(left.atan2(right))).isEqualTo("float32 (3) [-0.9828, 0, 2.554]");
        assertThat(ArrayText.of(left.xlogy(right))).isEqualTo("float32 (3) [-2.079, 0, NaN]");
        assertThat(ArrayText.of(left.logicalXor(right))).isEqualTo("boolean (3) [false, true, false]");
        assertThat(ArrayText.of(NDArrays.pow(2, ints(3, 0)))).isEqualTo("int32 (2) [8, 1]");
    }

    @Test
    void wholeNumbersKeepTheirTypeWhereTheyStayWhole() {
        NDArray numbers = ints(-2, 3);
        assertThat(ArrayText.of(numbers.floor())).isEqualTo("int32 (2) [-2, 3]");
        assertThat(numbers.ceil().getDataType()).isEqualTo(DataType.INT32);
        assertThat(numbers.round().getDataType()).isEqualTo(DataType.INT32);
        assertThat(numbers.trunc().getDataType()).isEqualTo(DataType.INT32);
        assertThat(numbers.clip(0, 2).getDataType()).isEqualTo(DataType.INT32);
        assertThat(ArrayText.of(numbers.clip(0.5f, 2))).isEqualTo("float32 (2) [0.5, 2]");
        assertThat(ArrayText.of(numbers.gt(0).add(2))).isEqualTo("int32 (2) [2, 3]");
    }

    @Test
    void changesInPlaceAreSeenByViews() {
        NDArray array = manager.create(new float[] {1, 2, 3, 4}, new Shape(2, 2));
        NDArray view = array.reshape(4);
        assertThat(view.addi(1).muli(2).subi(1)).isSameAs(view);
        assertThat(array.toFloatArray()).containsExactly(3, 5, 7, 9);
        assertThat(array.powi(2).toFloatArray()).containsExactly(9, 25, 49, 81);
        assertThat(array.modi(10).toFloatArray()).containsExactly(9, 5, 9, 1);
        assertThat(array.negi().signi().toFloatArray()).containsExactly(-1, -1, -1, -1);
        NDArrayEx inner = array.getNDArrayInternal();
        inner.rsubi(3);
        assertThat(array.toFloatArray()).containsExactly(4, 4, 4, 4);
        inner.rdivi(floats(8, 4));
        assertThat(array.toFloatArray()).containsExactly(2, 1, 2, 1);
        inner.rpowi(3);
        assertThat(array.toFloatArray()).containsExactly(9, 3, 9, 3);
        inner.rmodi(floats(4, 4));
        assertThat(array.toFloatArray()).containsExactly(4, 1, 4, 1);
        assertThat(view.toFloatArray()).containsExactly(4, 1, 4, 1);
        assertThatThrownBy(() -> floats(1, 2).addi(array)).hasMessageContaining("does not fit the array (2)");
        assertThatThrownBy(() -> array.add(floats(1, 2, 3))).hasMessageContaining("cannot be broadcast");
    }

    @Test
    void leastAndLargestPlacesOfEachTypeAreFound() {
        assertThat(ints(0, 5).toType(DataType.UINT8, false).argMin().getLong()).isZero();
        assertThat(manager.create(new boolean[] {true, false}).argMin().getLong())
                .isEqualTo(1);
        assertThat(manager.create(new byte[] {0, -128}).argMin().getLong()).isEqualTo(1);
        assertThat(floats(2, 1, 1).argMin().getLong()).isEqualTo(1);
        assertThat(floats(1, Float.NaN, 2).argMax().getLong()).isEqualTo(1);
        assertThat(floats(1, Float.NaN, 2).argMin(0).getLong()).isEqualTo(1);
        assertThatThrownBy(() -> manager.zeros(new Shape(0)).max()).hasMessageContaining("no largest");
    }
}
