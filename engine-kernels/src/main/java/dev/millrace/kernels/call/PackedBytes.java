package dev.millrace.kernels.call;

import java.lang.foreign.MemorySegment;

/**
 * What a driver has packed, with the name of its layout, as it may come from a file or from another machine.
 *
 * @param layout what {@code packedLayout()} of the driver said when the bytes were packed
 */
public record PackedBytes(String layout, MemorySegment bytes) {
    /**
     * The bytes, for a driver whose layout is this one.
     *
     * @throws IllegalArgumentException if they have another layout; the message names both
     */
    public MemorySegment in(String wanted) {
        if (!layout.equals(wanted)) {
            throw new IllegalArgumentException("packed as " + layout + ", but " + wanted
                    + " is wanted here: the original has to be packed again on this machine");
        }
        return bytes;
    }
}
