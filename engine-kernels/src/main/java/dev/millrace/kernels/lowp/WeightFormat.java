package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelKey;

/**
 * The format of stored weights.
 *
 * @param block the number of weights of a column with one scale, a power of two from 16 to 256
 * @param zeros whether blocks have zero points of their own
 * @param halfScales whether scales are packed as IEEE half precision, not as floats of 32 bits
 */
public record WeightFormat(WeightType type, int block, boolean zeros, boolean halfScales) {
    private static final int LEAST_BLOCK = 16;
    private static final int MOST_BLOCK = 256;

    public static final WeightFormat F16 = new WeightFormat(WeightType.F16, LEAST_BLOCK, false);
    public static final WeightFormat BF16 = new WeightFormat(WeightType.BF16, LEAST_BLOCK, false);

    public WeightFormat {
        if (block < LEAST_BLOCK || block > MOST_BLOCK || Integer.bitCount(block) != 1) {
            throw new IllegalArgumentException("a block of weights is a power of two from " + LEAST_BLOCK + " to "
                    + MOST_BLOCK + " long, not " + block);
        }
        if (!type.isBlocked() && (zeros || halfScales || block != LEAST_BLOCK)) {
            throw new IllegalArgumentException("weights of type " + type + " have no blocks");
        }
    }

    /** A format whose scales are packed as floats of 32 bits. */
    public WeightFormat(WeightType type, int block, boolean zeros) {
        this(type, block, zeros, false);
    }

    KernelKey in(KernelKey key) {
        return key.with("type", type)
                .with("block", block)
                .with("zeros", zeros ? 1 : 0)
                .with("scales", scaleBytes());
    }

    static WeightFormat of(KernelKey key) {
        WeightType type = key.oneOf("type", WeightType.values());
        int block = key.number("block", LEAST_BLOCK, type.isBlocked() ? MOST_BLOCK : LEAST_BLOCK);
        if (Integer.bitCount(block) != 1) {
            throw new IllegalArgumentException(
                    "kernel key " + key + ": the parameter block is " + block + ", but must be a power of two");
        }
        boolean zeros = key.number("zeros", 0, type.isBlocked() ? 1 : 0) == 1;
        int least = type.isBlocked() ? Short.BYTES : 0;
        int scaleBytes = key.number("scales", least, type.isBlocked() ? Float.BYTES : 0);
        return new WeightFormat(type, block, zeros, scaleBytes == Short.BYTES);
    }

    /** The size of a packed scale in bytes; 0 where there are none. */
    int scaleBytes() {
        return !type.isBlocked() ? 0 : halfScales ? Short.BYTES : Float.BYTES;
    }

    /** The size of a scale and a zero point in bytes. */
    int termBytes() {
        return scaleBytes() + (zeros ? Float.BYTES : 0);
    }

    /** The size of a block of one column in bytes, with its scale and zero point. */
    int blockBytes() {
        return termBytes() + block / type.group() * type.groupBytes();
    }
}
