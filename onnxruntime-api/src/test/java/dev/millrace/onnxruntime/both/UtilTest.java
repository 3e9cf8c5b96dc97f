package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OrtUtil;
import ai.onnxruntime.platform.Fp16Conversions;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Helpers for shapes, nested arrays and 16-bit floats. */
@Tag("reference")
class UtilTest {
    @Test
    void shapesAreTransformed() {
        assertThat(OrtUtil.transformShape(new long[] {1, 0, 3})).containsExactly(1, 0, 3);
        assertThat(OrtUtil.transformShape(new int[] {1, 2})).containsExactly(1, 2);
        for (long[] wrong : new long[][] {{-1}, {1L << 40}, {}, new long[9]}) {
            assertThatThrownBy(() -> OrtUtil.transformShape(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        for (int[] wrong : new int[][] {{0}, {-1}, {}, new int[9]}) {
            assertThatThrownBy(() -> OrtUtil.transformShape(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void arraysAreMade() {
        long[] shape = {2, 3};
        assertThat(OrtUtil.newBooleanArray(shape)).isEqualTo(new boolean[2][3]);
        assertThat(OrtUtil.newByteArray(shape)).isEqualTo(new byte[2][3]);
        assertThat(OrtUtil.newShortArray(shape)).isEqualTo(new short[2][3]);
        assertThat(OrtUtil.newIntArray(shape)).isEqualTo(new int[2][3]);
        assertThat(OrtUtil.newLongArray(shape)).isEqualTo(new long[2][3]);
        assertThat(OrtUtil.newFloatArray(shape)).isEqualTo(new float[2][3]);
        assertThat(OrtUtil.newDoubleArray(shape)).isEqualTo(new double[2][3]);
        assertThat(OrtUtil.newStringArray(shape)).isEqualTo(new String[2][3]);
        assertThatThrownBy(() -> OrtUtil.newFloatArray(new long[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void arraysAreReshaped() {
        long[] shape = {2, 1};
        assertThat(OrtUtil.reshape(new boolean[] {true, false}, shape)).isEqualTo(new boolean[][] {{true}, {false}});
        assertThat(OrtUtil.reshape(new byte[] {1, 2}, shape)).isEqualTo(new byte[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new short[] {1, 2}, shape)).isEqualTo(new short[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new int[] {1, 2}, shape)).isEqualTo(new int[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new long[] {1, 2}, shape)).isEqualTo(new long[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new float[] {1, 2}, shape)).isEqualTo(new float[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new double[] {1, 2}, shape)).isEqualTo(new double[][] {{1}, {2}});
        assertThat(OrtUtil.reshape(new String[] {"a", "b"}, shape)).isEqualTo(new String[][] {{"a"}, {"b"}});
        assertThat(OrtUtil.reshape(new float[] {1, 2, 3, 4, 5, 6, 7, 8}, new long[] {2, 2, 2}))
                .isEqualTo(new float[][][] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
        assertThatThrownBy(() -> OrtUtil.reshape(new float[3], new long[] {2, 2}))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
        assertThatThrownBy(() -> OrtUtil.reshape(new float[1], new long[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void elementsAreCounted() {
        assertThat(OrtUtil.elementCount(new long[] {2, 3})).isEqualTo(6);
        assertThat(OrtUtil.elementCount(new long[0])).isEqualTo(1);
        assertThat(OrtUtil.elementCount(new long[] {0, 3})).isZero();
        assertThatThrownBy(() -> OrtUtil.elementCount(new long[] {-1, 3})).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shapesAreValidated() {
        assertThat(OrtUtil.validateShape(new long[] {1, 2})).isTrue();
        assertThat(OrtUtil.validateShape(new long[0])).isTrue();
        assertThat(OrtUtil.validateShape(new long[] {0})).isFalse();
        assertThat(OrtUtil.validateShape(new long[] {-1})).isFalse();
        assertThat(OrtUtil.validateShape(new long[] {1L << 31})).isFalse();
        assertThat(OrtUtil.validateShape(new long[] {1, 1, 1, 1, 1, 1, 1, 1, 1}))
                .isFalse();
    }

    @Test
    void stringsAreFlattened() {
        assertThat(OrtUtil.flattenString(new String[][] {{"a"}, {"b"}})).containsExactly("a", "b");
        assertThat(OrtUtil.flattenString(new String[] {"a"})).containsExactly("a");
        assertThatThrownBy(() -> OrtUtil.flattenString("a")).isInstanceOf(ClassCastException.class);
        assertThatThrownBy(() -> OrtUtil.flattenString(new int[] {1})).isInstanceOf(ClassCastException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0", "-0.0, -32768, -32768", "1, 15360, 16256", "65504, 31743, 18304", "65520, 31744, 18304",
        "1e-8, 0, 12844", "5.96e-8, 1, 13184", "3e-5, 503, 14332", "NaN, 32256, 32704", "Infinity, 31744, 32640",
        "0.1, 11878, 15821", "2049, 26624, 17664"
    })
    void floatsAreRounded(float value, short half, short brain) {
        assertThat(Fp16Conversions.floatToFp16(value)).isEqualTo(half);
        assertThat(Fp16Conversions.mlasFloatToFp16(value)).isEqualTo(half);
        assertThat(Fp16Conversions.floatToBf16(value)).isEqualTo(brain);
    }

    @Test
    void halvesBecomeFloats() {
        for (int bits = Short.MIN_VALUE; bits <= Short.MAX_VALUE; bits++) {
            short half = (short) bits;
            float value = Fp16Conversions.fp16ToFloat(half);
            if (!Float.isNaN(value)) {
                assertThat(Fp16Conversions.mlasFp16ToFloat(half)).isEqualTo(value);
                assertThat(Fp16Conversions.floatToFp16(value)).isEqualTo(half);
            }
            float brain = Fp16Conversions.bf16ToFloat(half);
            if (!Float.isNaN(brain)) {
                assertThat(Fp16Conversions.floatToBf16(brain)).isEqualTo(half);
            }
        }
    }

    @Test
    void buffersAreConverted() {
        FloatBuffer floats = FloatBuffer.wrap(new float[] {7, 1, 2});
        floats.position(1);
        ShortBuffer halves = Fp16Conversions.convertFloatBufferToFp16Buffer(floats);
        assertThat(halves.isDirect()).isTrue();
        assertThat(halves).isEqualTo(ShortBuffer.wrap(new short[] {0x3C00, 0x4000}));
        assertThat(Fp16Conversions.convertFp16BufferToFloatBuffer(halves))
                .isEqualTo(FloatBuffer.wrap(new float[] {1, 2}));
        ShortBuffer brains = Fp16Conversions.convertFloatBufferToBf16Buffer(floats);
        assertThat(brains).isEqualTo(ShortBuffer.wrap(new short[] {0x3F80, 0x4000}));
        assertThat(Fp16Conversions.convertBf16BufferToFloatBuffer(brains))
                .isEqualTo(FloatBuffer.wrap(new float[] {1, 2}));
        assertThat(floats.position()).isEqualTo(1);
    }

    @Test
    void everyNanIsOneHalf() {
        for (int bits : new int[] {0x7FC00000, 0x7FA00001, 0x7FFFFFFF, 0xFFC00000, 0xFF812345}) {
            assertThat(Fp16Conversions.mlasFloatToFp16(Float.intBitsToFloat(bits)))
                    .isEqualTo((short) 0x7E00);
        }
    }
}
