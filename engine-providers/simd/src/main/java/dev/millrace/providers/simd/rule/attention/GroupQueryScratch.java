package dev.millrace.providers.simd.rule.attention;

import java.lang.foreign.MemorySegment;

/**
 * The places of the parts of a step's scratch memory, behind that of the attention, and its size.
 *
 * @param keyScales the place of the scales and zero points of keys, as {@code valueScales} is that of values
 */
record GroupQueryScratch(long angles, long mask, long keyScales, long valueScales, long bytes) {
    MemorySegment ofAttention(MemorySegment whole) {
        return whole.asSlice(0, angles);
    }

    MemorySegment angles(MemorySegment whole) {
        return whole.asSlice(angles, mask - angles);
    }

    MemorySegment mask(MemorySegment whole) {
        return whole.asSlice(mask, keyScales - mask);
    }

    MemorySegment keyScales(MemorySegment whole) {
        return whole.asSlice(keyScales, valueScales - keyScales);
    }

    MemorySegment valueScales(MemorySegment whole) {
        return whole.asSlice(valueScales, bytes - valueScales);
    }
}
