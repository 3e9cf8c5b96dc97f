package ai.onnxruntime.platform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/** Converts between floats and floats of 16 bits. What remains of a buffer is converted into a new direct buffer. */
public final class Fp16Conversions {
    private static final short BITS_OF_NAN = 0x7FC0;
    private static final short HALF_BITS_OF_NAN = 0x7E00;

    private Fp16Conversions() {}

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    public static ShortBuffer convertFloatBufferToFp16Buffer(FloatBuffer buf) {
        ShortBuffer halves = direct(buf.remaining() * Short.BYTES).asShortBuffer();
        for (int i = 0; i < halves.capacity(); i++) {
            halves.put(i, floatToFp16(buf.get(buf.position() + i)));
        }
        return halves;
    }

    public static FloatBuffer convertFp16BufferToFloatBuffer(ShortBuffer buf) {
        FloatBuffer floats = direct(buf.remaining() * Float.BYTES).asFloatBuffer();
        for (int i = 0; i < floats.capacity(); i++) {
            floats.put(i, fp16ToFloat(buf.get(buf.position() + i)));
        }
        return floats;
    }

    public static ShortBuffer convertFloatBufferToBf16Buffer(FloatBuffer buf) {
        ShortBuffer halves = direct(buf.remaining() * Short.BYTES).asShortBuffer();
        for (int i = 0; i < halves.capacity(); i++) {
            halves.put(i, floatToBf16(buf.get(buf.position() + i)));
        }
        return halves;
    }

    public static FloatBuffer convertBf16BufferToFloatBuffer(ShortBuffer buf) {
        FloatBuffer floats = direct(buf.remaining() * Float.BYTES).asFloatBuffer();
        for (int i = 0; i < floats.capacity(); i++) {
            floats.put(i, bf16ToFloat(buf.get(buf.position() + i)));
        }
        return floats;
    }

    public static float fp16ToFloat(short input) {
        return Float.float16ToFloat(input);
    }

    /** Returns the nearest half, of two equally near ones the even one. */
    public static short floatToFp16(float input) {
        return Float.floatToFloat16(input);
    }

    /** Returns what {@link #fp16ToFloat} returns. */
    public static float mlasFp16ToFloat(short input) {
        return fp16ToFloat(input);
    }

    /** Returns what {@link #floatToFp16} returns, and the same bits for every NaN. */
    public static short mlasFloatToFp16(float input) {
        return Float.isNaN(input) ? HALF_BITS_OF_NAN : floatToFp16(input);
    }

    public static float bf16ToFloat(short input) {
        return Float.intBitsToFloat(input << Short.SIZE);
    }

    /** Returns the nearest bfloat16, of two equally near ones the even one. */
    public static short floatToBf16(float input) {
        if (Float.isNaN(input)) {
            return BITS_OF_NAN;
        }
        int bits = Float.floatToRawIntBits(input);
        int even = bits >>> Short.SIZE & 1;
        return (short) (bits + 0x7FFF + even >>> Short.SIZE);
    }
}
