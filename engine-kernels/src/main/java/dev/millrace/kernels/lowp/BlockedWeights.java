package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.cast.FloatType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Quantised weights, column by column, each cut into blocks along K, in the layout of MatMulNBits of ONNX Runtime.
 *
 * @param data for each block of each column its weights, those of 4 bits in pairs, the first one in the lower half
 * @param scales a float for each block of each column, of {@code scaleType}: 32 bits, or half precision
 * @param zeroPoints for each column those of its blocks, as wide as a weight, each column beginning with a new byte; or
 *     null, which stands for the middle, 8 or 128
 */
public record BlockedWeights(
        WeightType type,
        int block,
        MemorySegment data,
        MemorySegment scales,
        FloatType scaleType,
        @Nullable MemorySegment zeroPoints) {

    /** Returns the format of products with these weights, whose scales are packed in the type that they have. */
    public WeightFormat format() {
        return new WeightFormat(type, block, zeroPoints != null, scaleType == FloatType.F16);
    }

    private int bits() {
        return type == WeightType.INT4 ? 4 : 8;
    }

    void check(long blocks, long n) {
        if (!type.isBlocked()) {
            throw new IllegalArgumentException("weights of type " + type + " have no blocks");
        }
        if (scaleType == FloatType.BF16) {
            throw new IllegalArgumentException("scales have 32 bits or half precision, not " + scaleType);
        }
        long all = Math.multiplyExact(blocks, n);
        CallChecks.bytes("the weights", data, Math.multiplyExact(all, block * bits() / 8));
        CallChecks.bytes("the scales", scales, Math.multiplyExact(all, scaleType.bytes()));
        if (zeroPoints != null) {
            CallChecks.bytes("the zero points", zeroPoints, Math.multiplyExact(zeroBytes(blocks), n));
        }
    }

    private long zeroBytes(long blocks) {
        return (blocks * bits() + 7) / 8;
    }

    float scale(long index) {
        return scaleType == FloatType.F32
                ? scales.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index)
                : Float.float16ToFloat(scales.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index));
    }

    /** The zero point of a block relative to the middle of the range. */
    int zero(long block, long column, long blocks) {
        if (zeroPoints == null) {
            return 0;
        }
        long at = column * zeroBytes(blocks) + block * bits() / 8;
        int both = zeroPoints.get(ValueLayout.JAVA_BYTE, at) & 0xff;
        int point = type == WeightType.INT8 ? both : both >> 4 * (block % 2) & 15;
        return point - type.middle();
    }
}
