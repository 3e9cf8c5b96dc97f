package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue.OnnxValueType;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.TensorInfo;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors of arrays, boxes and strings. */
@Tag("reference")
class TensorTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    private static Stream<Arguments> arrays() {
        return Stream.of(
                Arguments.of(new float[] {1, 2}, OnnxJavaType.FLOAT, new long[] {2}),
                Arguments.of(new float[][] {{1, 2, 3}, {4, 5, 6}}, OnnxJavaType.FLOAT, new long[] {2, 3}),
                Arguments.of(new float[][][] {{{1}, {2}}}, OnnxJavaType.FLOAT, new long[] {1, 2, 1}),
                Arguments.of(
                        new float[1][1][1][1][1][1][1][1], OnnxJavaType.FLOAT, new long[] {1, 1, 1, 1, 1, 1, 1, 1}),
                Arguments.of(new double[] {1, -2}, OnnxJavaType.DOUBLE, new long[] {2}),
                Arguments.of(new double[][] {{Double.NaN}}, OnnxJavaType.DOUBLE, new long[] {1, 1}),
                Arguments.of(new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, OnnxJavaType.INT64, new long[] {2}),
                Arguments.of(new long[][] {{1}, {2}, {3}}, OnnxJavaType.INT64, new long[] {3, 1}),
                Arguments.of(new int[] {Integer.MIN_VALUE, 7}, OnnxJavaType.INT32, new long[] {2}),
                Arguments.of(new int[][] {{1, 2}}, OnnxJavaType.INT32, new long[] {1, 2}),
                Arguments.of(new short[] {-1, 1}, OnnxJavaType.INT16, new long[] {2}),
                Arguments.of(new byte[] {-1, 1}, OnnxJavaType.INT8, new long[] {2}),
                Arguments.of(new byte[][] {{1}, {2}}, OnnxJavaType.INT8, new long[] {2, 1}),
                Arguments.of(new boolean[] {true, false}, OnnxJavaType.BOOL, new long[] {2}),
                Arguments.of(new boolean[][] {{true}, {false}}, OnnxJavaType.BOOL, new long[] {2, 1}));
    }

    @ParameterizedTest
    @MethodSource("arrays")
    void anArrayComesBackAsItIs(Object array, OnnxJavaType type, long[] shape) throws OrtException {
        try (var tensor = OnnxTensor.createTensor(environment, array)) {
            assertThat(tensor.getValue()).isEqualTo(array).isNotSameAs(array);
            assertThat(tensor.getInfo().type).isEqualTo(type);
            assertThat(tensor.getInfo().getShape()).isEqualTo(shape);
            assertThat(tensor.getInfo().getNumElements())
                    .isEqualTo(Arrays.stream(shape).reduce(1, (a, b) -> a * b));
            assertThat(tensor.getInfo().isScalar()).isFalse();
            assertThat(tensor.getInfo().getDimensionNames())
                    .hasSize(shape.length)
                    .containsOnly("");
            assertThat(tensor.getType()).isEqualTo(OnnxValueType.ONNX_TYPE_TENSOR);
            assertThat(tensor.ownsBuffer()).isTrue();
            assertThat(tensor.getBufferRef()).hasValueSatisfying(buffer -> {
                assertThat(buffer.isDirect()).isTrue();
                assertThat(buffer.remaining()).isEqualTo((int) tensor.getInfo().getNumElements());
            });
            assertThat(tensor.toString())
                    .isEqualTo("OnnxTensor(info=TensorInfo(javaType=" + type + ",onnxType=" + tensor.getInfo().onnxType
                            + ",shape=" + Arrays.toString(shape) + "),closed=false)");
        }
    }

    private static Stream<Arguments> boxes() {
        return Stream.of(
                Arguments.of(1.5f, OnnxJavaType.FLOAT),
                Arguments.of(1.5, OnnxJavaType.DOUBLE),
                Arguments.of(5L, OnnxJavaType.INT64),
                Arguments.of(5, OnnxJavaType.INT32),
                Arguments.of((short) 5, OnnxJavaType.INT16),
                Arguments.of((byte) 5, OnnxJavaType.INT8),
                Arguments.of(true, OnnxJavaType.BOOL));
    }

    @ParameterizedTest
    @MethodSource("boxes")
    void aBoxIsAScalar(Object box, OnnxJavaType type) throws OrtException {
        try (var tensor = OnnxTensor.createTensor(environment, box)) {
            assertThat(tensor.getValue()).isEqualTo(box);
            assertThat(tensor.getInfo().type).isEqualTo(type);
            assertThat(tensor.getInfo().isScalar()).isTrue();
            assertThat(tensor.getInfo().getShape()).isEmpty();
            assertThat(tensor.getInfo().getNumElements()).isEqualTo(1);
        }
    }

    @Test
    void stringsComeBack() throws OrtException {
        try (var vector = OnnxTensor.createTensor(environment, new String[] {"a", "\u00fc\u20ac\ud83d\ude00", ""});
                var matrix = OnnxTensor.createTensor(environment, new String[][] {{"a", "b"}, {"c", "d"}});
                var scalar = OnnxTensor.createTensor(environment, "text")) {
            assertThat(vector.getValue()).isEqualTo(new String[] {"a", "\u00fc\u20ac\ud83d\ude00", ""});
            assertThat(matrix.getValue()).isEqualTo(new String[][] {{"a", "b"}, {"c", "d"}});
            assertThat(scalar.getValue()).isEqualTo("text");
            assertThat(vector.getInfo().type).isEqualTo(OnnxJavaType.STRING);
            assertThat(vector.getByteBuffer()).isNull();
            assertThat(vector.getFloatBuffer()).isNull();
            assertThat(vector.ownsBuffer()).isFalse();
        }
    }

    @Test
    void stringsHaveAnyShape() throws OrtException {
        String[] strings = {"a", "b"};
        try (var column = OnnxTensor.createTensor(environment, strings, new long[] {2, 1});
                var scalar = OnnxTensor.createTensor(environment, new String[] {"x"}, new long[] {})) {
            assertThat(column.getValue()).isEqualTo(new String[][] {{"a"}, {"b"}});
            assertThat(scalar.getValue()).isEqualTo("x");
        }
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, strings, new long[] {3})))
                .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
    }

    @Test
    void otherArraysAreRefused() {
        for (Object array : List.of(
                new float[][] {{1, 2}, {3}},
                new float[0],
                new float[2][0],
                new float[0][2],
                new String[0],
                new String[][] {{"a", "b"}, {"c"}},
                new Float[] {1f},
                new Object[] {1f},
                new float[1][1][1][1][1][1][1][1][1],
                'c',
                new ArrayList<Float>())) {
            assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, array)))
                    .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
    }

    @Test
    void charactersAreRefused() {
        assertThatThrownBy(() -> OnnxTensor.createTensor(environment, new char[] {'a'}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTensorHasACopyOfItsArray() throws OrtException {
        float[] array = {1, 2};
        try (var tensor = OnnxTensor.createTensor(environment, array)) {
            array[0] = 9;
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2});
            ((float[]) tensor.getValue())[0] = 9;
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2});
        }
    }

    @Test
    void writesIntoItsBufferAreSeen() throws OrtException {
        try (var tensor = OnnxTensor.createTensor(environment, new float[] {1, 2})) {
            ((FloatBuffer) tensor.getBufferRef().orElseThrow()).put(0, 9);
            assertThat(tensor.getValue()).isEqualTo(new float[] {9, 2});
        }
    }

    @Test
    void descriptionsAreMadeWithoutATensor() throws OrtException {
        assertThat(TensorInfo.constructFromJavaArray(new int[2][3]).toString())
                .isEqualTo("TensorInfo(javaType=INT32,onnxType=ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,shape=[2, 3])");
        assertThat(TensorInfo.constructFromJavaArray("text").type).isEqualTo(OnnxJavaType.STRING);
        assertThat(TensorInfo.constructFromJavaArray(5L).isScalar()).isTrue();
        assertThat(Failing.codeOf(() -> TensorInfo.constructFromJavaArray('c')))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        TensorInfo info =
                TensorInfo.constructFromBuffer(FloatBuffer.allocate(6), new long[] {2, 3}, OnnxJavaType.FLOAT);
        assertThat(info.getNumElements()).isEqualTo(6);
        info.getShape()[0] = 9;
        assertThat(info.getShape()).containsExactly(2, 3);
        assertThat(TensorInfo.MAX_DIMENSIONS).isEqualTo(8);
    }

    @Test
    void carriersHaveTheShape() throws OrtException {
        assertThat(TensorInfo.constructFromJavaArray(new int[2][3]).makeCarrier())
                .isEqualTo(new int[2][3]);
        assertThat(TensorInfo.constructFromJavaArray(new boolean[2]).makeCarrier())
                .isEqualTo(new boolean[2]);
        assertThat(TensorInfo.constructFromJavaArray(new String[] {"a"}).makeCarrier())
                .isEqualTo(new String[1]);
        assertThat(TensorInfo.constructFromBuffer(ShortBuffer.allocate(2), new long[] {1, 2}, OnnxJavaType.FLOAT16)
                        .makeCarrier())
                .isEqualTo(new float[1][2]);
        TensorInfo scalar = TensorInfo.constructFromJavaArray(5L);
        assertThatThrownBy(scalar::makeCarrier).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stringsHaveNoNegativeExtents() {
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, new String[] {"a"}, new long[] {-1})))
                .isEqualTo(OrtErrorCode.ORT_FAIL);
    }
}
