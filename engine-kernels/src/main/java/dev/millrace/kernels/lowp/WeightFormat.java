package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelKey;

/**
 * The format of stored weights.
 *
 * @param block the number of weights of a column with one scale, a power of two from 16 to 256
 * @param zeros whether blocks have zero points of their own
 */
public record WeightFormat(WeightType type, int block, boolean zeros) {
    private static final int LEAST_BLOCK = 16;
    private static final int MOST_BLOCK = 256;

    public static final WeightFormat F16 = new WeightFormat(WeightType.F16, LEAST_BLOCK, false);
    public static final WeightFormat BF16 = new WeightFormat(WeightType.BF16, LEAST_BLOCK, false);

    public WeightFormat {
        if (block < LEAST_BLOCK || block > MOST_BLOCK || Integer.bitCount(block) != 1) {
            throw new IllegalArgumentException("a block of weights is a power of two from " + LEAST_BLOCK + " to "
                    + MOST_BLOCK + " long, not " + block);
        }
        if (!type.isBlocked() && (zeros || block != LEAST_BLOCK)) {
            throw new IllegalArgumentException("weights of type " + type + " have no blocks");
        }
    }

    KernelKey in(KernelKey key) {
        return key.with("type", type).with("block", block).with("zeros", zeros ? 1 : 0);
    }

    static WeightFormat of(KernelKey key) {
        WeightType type = key.oneOf("type", WeightType.values());
        int block = key.number("block", LEAST_BLOCK, type.isBlocked() ? MOST_BLOCK : LEAST_BLOCK);
        if (Integer.bitCount(block) != 1) {
            throw new IllegalArgumentException(
                    "kernel key " + key + ": the parameter block is " + block + ", but must be a power of two");
        }
        return new WeightFormat(type, block, key.number("zeros", 0, type.isBlocked() ? 1 : 0) == 1);
    }

    /** The size of a block of one column in bytes, with its scale and zero point. */
    int blockBytes() {
        int terms = !type.isBlocked() ? 0 : zeros ? 8 : 4;
        return terms + block / type.group() * type.groupBytes();
    }
}
