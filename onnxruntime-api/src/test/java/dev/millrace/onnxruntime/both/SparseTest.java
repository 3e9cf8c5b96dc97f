package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxSparseTensor;
import ai.onnxruntime.OnnxSparseTensor.BlockSparseTensor;
import ai.onnxruntime.OnnxSparseTensor.COOTensor;
import ai.onnxruntime.OnnxSparseTensor.CSRCTensor;
import ai.onnxruntime.OnnxSparseTensor.SparseTensorType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue.OnnxValueType;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.TensorInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sparse tensors of three rows and four columns. */
@Tag("reference")
class SparseTest {
    private static final long[] SHAPE = {3, 4};

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    private static LongBuffer longs(long... values) {
        return bytes(8 * values.length).asLongBuffer().put(values).flip();
    }

    private static FloatBuffer floats(float... values) {
        return bytes(4 * values.length).asFloatBuffer().put(values).flip();
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocateDirect(count).order(ByteOrder.nativeOrder());
    }

    private static COOTensor coordinates() {
        return new COOTensor(longs(0, 1, 2, 3), new long[] {2, 2}, floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 2);
    }

    private static CSRCTensor rows() {
        return new CSRCTensor(longs(0, 1, 1, 2), longs(1, 3), floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 2);
    }

    @Test
    void coordinatesAreKept() {
        COOTensor tensor = coordinates();
        assertThat(tensor.getDenseShape()).isEqualTo(SHAPE);
        assertThat(tensor.getType()).isEqualTo(OnnxJavaType.FLOAT);
        assertThat(tensor.getNumNonZeroElements()).isEqualTo(2);
        assertThat(tensor.getIndices()).isEqualTo(longs(0, 1, 2, 3));
        assertThat(tensor.getIndicesShape()).containsExactly(2, 2);
        assertThat(tensor.getValues()).isEqualTo(floats(5, 6));
        assertThat(tensor.getValuesShape()).containsExactly(2);
        assertThat(tensor.getSparsityType()).isEqualTo(SparseTensorType.COO);
        assertThat(tensor.getIndicesType()).isEqualTo(OnnxJavaType.INT64);
    }

    @Test
    void compressedRowsAreKept() {
        CSRCTensor tensor = rows();
        assertThat(tensor.getIndices()).isEqualTo(longs(0, 1, 1, 2));
        assertThat(tensor.getIndicesShape()).containsExactly(4);
        assertThat(tensor.getInnerIndices()).isEqualTo(longs(1, 3));
        assertThat(tensor.getInnerIndicesShape()).containsExactly(2);
        assertThat(tensor.getSparsityType()).isEqualTo(SparseTensorType.CSRC);
        assertThat(tensor.getIndicesType()).isEqualTo(OnnxJavaType.INT64);
    }

    @Test
    void wrongNumbersAreRefused() {
        assertThatThrownBy(() ->
                        new COOTensor(longs(0, 1, 2, 3), new long[] {3, 2}, floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        new COOTensor(longs(0, 1, 2, 3), new long[] {2, 2}, floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 3))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new COOTensor(
                        longs(0, 1, 2, 3), new long[] {2, 2}, floats(5, 6), SHAPE, OnnxJavaType.STRING, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CSRCTensor(longs(0, 1), longs(1, 3), floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> new CSRCTensor(longs(0, 1, 1, 2), longs(1), floats(5, 6), SHAPE, OnnxJavaType.FLOAT, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BlockSparseTensor(
                        IntBuffer.allocate(4),
                        new long[] {2, 3},
                        floats(1, 2, 3, 4),
                        new long[] {1, 2, 2},
                        new long[] {4, 4},
                        OnnxJavaType.FLOAT,
                        4))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aValueHasCopies() throws OrtException {
        OnnxSparseTensor value = OnnxSparseTensor.createSparseTensor(environment, coordinates());
        assertThat(value.getType()).isEqualTo(OnnxValueType.ONNX_TYPE_SPARSETENSOR);
        assertThat(value.getSparseTensorType()).isEqualTo(SparseTensorType.COO);
        assertThat(value.getInfo().getShape()).isEqualTo(SHAPE);
        assertThat(value.getIndicesBuffer()).isEqualTo(longs(0, 1, 2, 3));
        assertThat(value.getIndicesShape()).containsExactly(2, 2);
        assertThat(value.getValuesBuffer()).isEqualTo(floats(5, 6));
        assertThat(value.getValuesShape()).containsExactly(2);
        assertThat(value.getValue()).isInstanceOf(COOTensor.class);
        assertThat(value.getValue().getDenseShape()).isEqualTo(SHAPE);
        assertThatThrownBy(value::getInnerIndicesShape).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(value::getInnerIndicesBuffer).isInstanceOf(IllegalStateException.class);
        value.close();
        value.close();
        assertThat(value.isClosed()).isTrue();
        assertThatThrownBy(value::getValuesBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(value::getValue).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aValueOfCompressedRowsHasInnerIndices() throws OrtException {
        try (var value = OnnxSparseTensor.createSparseTensor(environment, rows())) {
            assertThat(value.getSparseTensorType()).isEqualTo(SparseTensorType.CSRC);
            assertThat(value.getInnerIndicesBuffer()).isEqualTo(longs(1, 3));
            assertThat(value.getInnerIndicesShape()).containsExactly(2);
            assertThat(value.getIndicesBuffer()).isEqualTo(longs(0, 1, 1, 2));
            assertThat(value.getIndicesShape()).containsExactly(4);
            assertThat(value.getValue()).isInstanceOf(CSRCTensor.class);
        }
    }

    @Test
    void blocksAreKept() throws OrtException {
        var blocks = new BlockSparseTensor(
                bytes(16).asIntBuffer(),
                new long[] {2, 2},
                floats(1, 2, 3, 4, 5, 6, 7, 8),
                new long[] {2, 2, 2},
                new long[] {4, 4},
                OnnxJavaType.FLOAT,
                8);
        assertThat(blocks.getIndicesType()).isEqualTo(OnnxJavaType.INT32);
        assertThat(blocks.getSparsityType()).isEqualTo(SparseTensorType.BLOCK_SPARSE);
        try (var value = OnnxSparseTensor.createSparseTensor(environment, blocks)) {
            assertThat(value.getSparseTensorType()).isEqualTo(SparseTensorType.BLOCK_SPARSE);
            assertThat(value.getValuesShape()).containsExactly(2, 2, 2);
            assertThat(value.getIndicesShape()).containsExactly(2, 2);
            assertThat(value.getValue()).isInstanceOf(BlockSparseTensor.class);
        }
    }

    @Test
    void aSparseMatrixIsMultiplied() throws OrtException {
        try (var session = environment.createSession(SmallModels.sparseProduct());
                var sparse = OnnxSparseTensor.createSparseTensor(environment, coordinates());
                var compressed = OnnxSparseTensor.createSparseTensor(environment, rows());
                var dense = OnnxTensor.createTensor(environment, new float[][] {{1}, {10}, {100}, {1000}});
                var first = session.run(Map.of("in0", sparse, "in1", dense));
                var second = session.run(Map.of("in0", compressed, "in1", dense))) {
            assertThat(first.get(0).getValue()).isEqualTo(new float[][] {{50}, {0}, {6000}});
            assertThat(second.get(0).getValue()).isEqualTo(new float[][] {{50}, {0}, {6000}});
        }
    }

    @Test
    void theDenseFormIsDescribed() throws OrtException {
        TensorInfo info = TensorInfo.constructFromSparseTensor(coordinates());
        assertThat(info.getShape()).isEqualTo(SHAPE);
        assertThat(info.type).isEqualTo(OnnxJavaType.FLOAT);
    }

    @Test
    void halvesAreReadAsFloats() throws OrtException {
        var halves = ShortBuffer.wrap(new short[] {0x3C00, (short) 0xC000});
        var brains = ShortBuffer.wrap(new short[] {0x3F80, (short) 0xC000});
        try (var half = OnnxSparseTensor.createSparseTensor(
                        environment,
                        new COOTensor(longs(1, 5), new long[] {2}, halves, SHAPE, OnnxJavaType.FLOAT16, 2));
                var brain = OnnxSparseTensor.createSparseTensor(
                        environment,
                        new COOTensor(longs(1, 5), new long[] {2}, brains, SHAPE, OnnxJavaType.BFLOAT16, 2))) {
            assertThat(half.getValuesBuffer()).isEqualTo(floats(1, -2));
            assertThat(brain.getValuesBuffer()).isEqualTo(floats(1, -2));
        }
    }
}
