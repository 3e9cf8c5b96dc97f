package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of types of elements, of drawn numbers, of strings, and of resized images. */
class ArrayKindsTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");

    @AfterEach
    void close() {
        manager.close();
    }

    @ParameterizedTest
    @CsvSource({
        "UINT8, 255, 44, 2",
        "INT8, -1, 44, 2",
        "INT16, -1, 300, 2",
        "UINT16, 65535, 300, 2",
        "INT32, -1, 300, 2",
        "UINT32, 4294967295, 300, 2",
        "INT64, -1, 300, 2",
        "BOOLEAN, 1, 1, 1",
        "FLOAT16, -1, 300, 2.699",
        "BFLOAT16, -1, 300, 2.703",
        "FLOAT64, -1, 300, 2.7"
    })
    void typesAreConverted(DataType type, double first, double second, double third) {
        NDArray converted = manager.create(new float[] {-1, 300, 2.7f}).toType(type, false);
        assertThat(converted.getDataType()).isEqualTo(type);
        assertThat(converted.toType(DataType.FLOAT64, false).toDoubleArray())
                .containsExactly(new double[] {first, second, third}, within(1e-3));
    }

    @Test
    void wholeNumbersAreConvertedExactly() {
        NDArray large = manager.create(new long[] {(1L << 32) + 5, Long.MAX_VALUE});
        assertThat(large.toType(DataType.INT32, false).toIntArray()).containsExactly(5, -1);
        assertThat(large.toType(DataType.INT64, true).toLongArray()).containsExactly((1L << 32) + 5, Long.MAX_VALUE);
    }

    @Test
    void aSeedRepeatsDrawnNumbers() {
        Engine engine = Engine.getEngine("Millrace");
        engine.setRandomSeed(7);
        NDList first = drawn();
        engine.setRandomSeed(7);
        NDList again = drawn();
        assertThat(first).isEqualTo(again);
        assertThat(drawn()).isNotEqualTo(again);
    }

    private NDList drawn() {
        return new NDList(
                manager.randomUniform(2, 3, new Shape(500)),
                manager.randomNormal(5, 2, new Shape(500), DataType.FLOAT64),
                manager.randomInteger(-2, 2, new Shape(500), DataType.INT64),
                manager.randomPermutation(50),
                manager.truncatedNormal(0, 1, new Shape(500), DataType.FLOAT32));
    }

    @Test
    void drawnNumbersLieWhereTheyBelong() {
        Engine.getEngine("Millrace").setRandomSeed(1);
        NDList drawn = drawn();
        assertThat(drawn.get(0).gte(2).all().getBoolean()).isTrue();
        assertThat(drawn.get(0).lt(3).all().getBoolean()).isTrue();
        assertThat(drawn.get(1).mean().getDouble()).isCloseTo(5, within(0.5));
        assertThat(drawn.get(2).unique().head().toLongArray()).containsExactly(-2, -1, 0, 1);
        assertThat(drawn.get(3).sort().toLongArray())
                .isEqualTo(LongStream.range(0, 50).toArray());
        assertThat(drawn.get(4).abs().max().getFloat()).isLessThanOrEqualTo(2);
    }

    @Test
    void stringsAreKept() {
        NDArray strings = manager.create(new String[] {"one", "two"}, new Shape(1, 2));
        assertThat(strings.getDataType()).isEqualTo(DataType.STRING);
        assertThat(strings.reshape(2).getShape()).isEqualTo(new Shape(2));
        assertThat(strings.reshape(2).toStringArray()).containsExactly("one", "two");
        assertThat(manager.create("alone").getShape()).isEqualTo(new Shape());
        assertThatThrownBy(() -> strings.add(1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("no array operation 'add'");
        assertThatThrownBy(() -> manager.create(new String[] {"one"}, new Shape(2)))
                .hasMessageContaining("1 strings do not fill");
        strings.close();
        assertThatThrownBy(strings::toStringArray).isInstanceOf(IllegalStateException.class);
    }

    /** Results of DJL's engine of PyTorch. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | [0, 1, 2, 8, 9, 10]",
                "1 | [3.157, 4.357, 5.557, 9.443, 10.64, 11.84]",
                "2 | [2.5, 3.5, 4.5, 10.5, 11.5, 12.5]"
            })
    void filtersAreAsWideAsTheOldSamplesBetweenNewOnes(int interpolation, String expected) {
        NDArray image = manager.arange(16f).reshape(1, 4, 4);
        NDArray resized = image.getNDArrayInternal().interpolation(new long[] {2, 3}, interpolation, false);
        assertThat(ArrayText.of(resized)).isEqualTo("float32 (1, 2, 3) " + expected);
    }

    @Test
    void pixelsAreRoundedAndKeptInRange() {
        NDArray pixels =
                manager.create(new int[] {0, 255, 255, 0}, new Shape(2, 2, 1)).toType(DataType.UINT8, false);
        assertThat(pixels.getNDArrayInternal().resize(3, 2, 1).toUint8Array())
                .containsExactly(0, 128, 255, 255, 128, 0);
        NDArray edge =
                manager.create(new int[] {0, 0, 255, 255}, new Shape(1, 4, 1)).toType(DataType.UINT8, false);
        assertThat(edge.getNDArrayInternal().resize(8, 1, 3).toUint8Array())
                .as("cubic filters overshoot")
                .containsExactly(0, 0, 0, 52, 203, 255, 255, 255);
        assertThatThrownBy(() -> edge.getNDArrayInternal().resize(8, 1, 4))
                .hasMessageContaining("resize by other means than [NEAREST, BILINEAR, AREA, BICUBIC]");
        assertThatThrownBy(() -> edge.getNDArrayInternal().interpolation(new long[] {1, 1}, 1, true))
                .hasMessageContaining("aligned corners");
    }
}
