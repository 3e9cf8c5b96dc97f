package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors of buffers, and buffers of tensors. */
@Tag("reference")
class BufferTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    private static FloatBuffer floats(float... values) {
        return direct(4 * values.length).asFloatBuffer().put(values).flip();
    }

    @Test
    void aDirectBufferIsShared() throws OrtException {
        FloatBuffer buffer = floats(1, 2, 3, 4, 5, 6);
        try (var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {2, 3})) {
            assertThat(tensor.ownsBuffer()).isFalse();
            assertThat(tensor.getBufferRef())
                    .hasValueSatisfying(found -> assertThat(found.isDirect()).isTrue());
            assertThat(tensor.getValue()).isEqualTo(new float[][] {{1, 2, 3}, {4, 5, 6}});
            buffer.put(0, 9);
            assertThat(tensor.getValue()).isEqualTo(new float[][] {{9, 2, 3}, {4, 5, 6}});
            assertThat(buffer.position()).isZero();
            assertThat(buffer.remaining()).isEqualTo(6);
        }
    }

    @Test
    void aRunReadsASharedBufferAsItIsThen() throws OrtException {
        FloatBuffer buffer = floats(2);
        try (var session = environment.createSession(SmallModels.negative());
                var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {})) {
            buffer.put(0, 7);
            try (var result = session.run(Map.of("in0", tensor))) {
                assertThat(result.get(0).getValue()).isEqualTo(-7f);
            }
        }
    }

    @Test
    void aHeapBufferIsCopied() throws OrtException {
        FloatBuffer buffer = FloatBuffer.wrap(new float[] {1, 2, 3});
        try (var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {3})) {
            assertThat(tensor.ownsBuffer()).isTrue();
            buffer.put(0, 9);
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2, 3});
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatRemainsOfABufferCounts(boolean isDirect) throws OrtException {
        FloatBuffer buffer = isDirect ? floats(1, 2, 3) : FloatBuffer.wrap(new float[] {1, 2, 3});
        buffer.position(1);
        try (var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {2})) {
            assertThat(tensor.getValue()).isEqualTo(new float[] {2, 3});
            assertThat(buffer.position()).isEqualTo(1);
        }
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, buffer, new long[] {3})))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
    }

    @Test
    void aReadOnlyBufferIsTaken() throws OrtException {
        try (var tensor = OnnxTensor.createTensor(environment, floats(1, 2).asReadOnlyBuffer(), new long[] {2})) {
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2});
        }
    }

    @Test
    void aBigEndianHeapBufferIsTurned() throws OrtException {
        FloatBuffer buffer =
                ByteBuffer.allocate(8).putFloat(1).putFloat(2).flip().asFloatBuffer();
        try (var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {2})) {
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2});
        }
    }

    @Test
    void aShapeFitsItsBuffer() {
        FloatBuffer buffer = floats(1, 2, 3, 4, 5, 6);
        for (long[] shape : new long[][] {{5}, {7}, {0}, {2, 2}, {6, 2}}) {
            assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, buffer, shape)))
                    .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
        assertThatThrownBy(() -> OnnxTensor.createTensor(environment, buffer, new long[] {-1}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreAxesThanArraysHaveAreReadFromBuffers() throws OrtException {
        long[] shape = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        try (var tensor = OnnxTensor.createTensor(environment, floats(7), shape)) {
            assertThat(tensor.getFloatBuffer().get(0)).isEqualTo(7);
            assertThat(Failing.codeOf(tensor::getValue)).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
    }

    @Test
    void emptyTensorsHaveAShape() throws OrtException {
        try (var vector = OnnxTensor.createTensor(environment, FloatBuffer.allocate(0), new long[] {0});
                var matrix = OnnxTensor.createTensor(environment, FloatBuffer.allocate(0), new long[] {0, 3})) {
            assertThat(vector.getValue()).isEqualTo(new float[0]);
            assertThat(vector.getFloatBuffer().remaining()).isZero();
            assertThat(matrix.getValue()).isEqualTo(new float[0][3]);
            assertThat(matrix.getInfo().getShape()).containsExactly(0, 3);
            assertThat(matrix.getInfo().getNumElements()).isZero();
        }
    }

    @Test
    void eachTypeHasItsBuffer() throws OrtException {
        try (var doubles = OnnxTensor.createTensor(environment, DoubleBuffer.wrap(new double[] {1}), new long[] {1});
                var longs = OnnxTensor.createTensor(environment, LongBuffer.wrap(new long[] {1}), new long[] {1});
                var ints = OnnxTensor.createTensor(environment, IntBuffer.wrap(new int[] {1}), new long[] {1});
                var shorts = OnnxTensor.createTensor(environment, ShortBuffer.wrap(new short[] {1}), new long[] {1});
                var bytes = OnnxTensor.createTensor(environment, ByteBuffer.wrap(new byte[] {1}), new long[] {1})) {
            assertThat(doubles.getDoubleBuffer()).isEqualTo(DoubleBuffer.wrap(new double[] {1}));
            assertThat(doubles.getFloatBuffer()).isNull();
            assertThat(doubles.getLongBuffer()).isNull();
            assertThat(longs.getLongBuffer()).isEqualTo(LongBuffer.wrap(new long[] {1}));
            assertThat(longs.getIntBuffer()).isNull();
            assertThat(ints.getIntBuffer()).isEqualTo(IntBuffer.wrap(new int[] {1}));
            assertThat(ints.getLongBuffer()).isNull();
            assertThat(shorts.getShortBuffer()).isEqualTo(ShortBuffer.wrap(new short[] {1}));
            assertThat(shorts.getIntBuffer()).isNull();
            assertThat(bytes.getByteBuffer()).isEqualTo(ByteBuffer.wrap(new byte[] {1}));
            assertThat(bytes.getShortBuffer()).isNull();
            assertThat(bytes.getDoubleBuffer()).isNull();
            assertThat(bytes.getInfo().type).isEqualTo(OnnxJavaType.INT8);
        }
    }

    @Test
    void aBufferOfATensorIsACopyInTheHeap() throws OrtException {
        try (var tensor = OnnxTensor.createTensor(environment, floats(1, 2), new long[] {2})) {
            FloatBuffer copy = tensor.getFloatBuffer();
            assertThat(copy.hasArray()).isTrue();
            assertThat(copy.position()).isZero();
            copy.put(0, 9);
            assertThat(tensor.getFloatBuffer().get(0)).isEqualTo(1);
            ByteBuffer bytes = tensor.getByteBuffer();
            assertThat(bytes.order()).isEqualTo(ByteOrder.nativeOrder());
            assertThat(bytes.remaining()).isEqualTo(8);
            assertThat(bytes.getFloat(4)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OnnxJavaType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STRING", "UNKNOWN"})
    void bytesCanBeOfAnyType(OnnxJavaType type) throws OrtException {
        long[] shape = {16 / type.size};
        try (var tensor = OnnxTensor.createTensor(environment, direct(16), shape, type)) {
            assertThat(tensor.getInfo().type).isEqualTo(type);
            assertThat(tensor.getInfo().getShape()).isEqualTo(shape);
            assertThat(tensor.getByteBuffer().remaining()).isEqualTo(16);
            assertThat(tensor.getValue()).isEqualTo(tensor.getInfo().makeCarrier());
        }
    }

    @Test
    void bytesAreNoStrings() {
        for (OnnxJavaType type : new OnnxJavaType[] {OnnxJavaType.STRING, OnnxJavaType.UNKNOWN}) {
            assertThatThrownBy(() -> OnnxTensor.createTensor(environment, direct(16), new long[] {4}, type))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(Failing.codeOf(
                        () -> OnnxTensor.createTensor(environment, direct(16), new long[] {3}, OnnxJavaType.FLOAT)))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
    }

    @Test
    void bytesAreTruthValues() throws OrtException {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 0, 1});
        try (var tensor = OnnxTensor.createTensor(environment, bytes, new long[] {3}, OnnxJavaType.BOOL)) {
            assertThat(tensor.getValue()).isEqualTo(new boolean[] {true, false, true});
        }
    }

    @Test
    void shortsAreHalves() throws OrtException {
        ShortBuffer halves = ShortBuffer.wrap(new short[] {0x3C00, (short) 0xC000});
        ShortBuffer brains = ShortBuffer.wrap(new short[] {0x3F80, (short) 0xC000});
        try (var half = OnnxTensor.createTensor(environment, halves, new long[] {2}, OnnxJavaType.FLOAT16);
                var brain = OnnxTensor.createTensor(environment, brains, new long[] {2}, OnnxJavaType.BFLOAT16)) {
            assertThat(half.getValue()).isEqualTo(new float[] {1, -2});
            assertThat(half.getFloatBuffer()).isEqualTo(FloatBuffer.wrap(new float[] {1, -2}));
            assertThat(half.getShortBuffer()).isEqualTo(halves);
            assertThat(brain.getValue()).isEqualTo(new float[] {1, -2});
            assertThat(brain.getFloatBuffer()).isEqualTo(FloatBuffer.wrap(new float[] {1, -2}));
            assertThat(brain.getShortBuffer()).isEqualTo(brains);
        }
        assertThatThrownBy(() -> OnnxTensor.createTensor(environment, halves, new long[] {2}, OnnxJavaType.FLOAT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReferenceToABufferIsInNativeOrderAndHasAPositionOfItsOwn() throws OrtException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        try (var tensor = OnnxTensor.createTensor(environment, buffer, new long[] {2}, OnnxJavaType.FLOAT)) {
            ByteBuffer reference = (ByteBuffer) tensor.getBufferRef().orElseThrow();
            assertThat(reference.order()).isEqualTo(ByteOrder.nativeOrder());
            reference.putFloat(1).putFloat(2);
            assertThat(tensor.getValue()).isEqualTo(new float[] {1, 2});
            assertThat(tensor.getBufferRef())
                    .hasValueSatisfying(again -> assertThat(again.position()).isZero());
            assertThat(buffer.position()).isZero();
            assertThat(buffer.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        }
    }

    @Test
    void aScalarNeedsOneElement() {
        long[] scalar = {};
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, floats(1, 2), scalar)))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, floats(), scalar)))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(Failing.codeOf(() -> OnnxTensor.createTensor(environment, direct(8), scalar, OnnxJavaType.FLOAT)))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
    }

    @Test
    void aShapeMayCountBytes() throws OrtException {
        try (var one = OnnxTensor.createTensor(environment, floats(5, 6, 7, 8), new long[] {1});
                var none = OnnxTensor.createTensor(environment, floats(5, 6, 7), new long[] {0, 3})) {
            assertThat(one.getValue()).isEqualTo(new float[] {5});
            assertThat(one.getFloatBuffer().remaining()).isEqualTo(1);
            assertThat(none.getValue()).isEqualTo(new float[0][3]);
        }
    }
}
