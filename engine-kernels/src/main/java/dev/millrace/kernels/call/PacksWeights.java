package dev.millrace.kernels.call;

import java.lang.foreign.MemorySegment;

/**
 * A driver whose weights are packed once. What one has packed is good for every other that has a layout of the same
 * name, in this process or in another.
 */
public interface PacksWeights {
    /** Names the layout of packed weights: where names are the same, so are the bytes. */
    String packedLayout();

    /** Packed weights as they may be kept or sent. */
    default PackedBytes exported(MemorySegment packed) {
        return new PackedBytes(packedLayout(), packed);
    }

    /**
     * Packed weights that were kept or sent. That they are long enough is checked by each run.
     *
     * @throws IllegalArgumentException if they have another layout; the message names both
     */
    default MemorySegment opened(PackedBytes packed) {
        return packed.in(packedLayout());
    }
}
