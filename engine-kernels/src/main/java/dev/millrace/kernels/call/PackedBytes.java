package dev.millrace.kernels.call;

import java.lang.foreign.MemorySegment;

/**
 * The packed bytes of a driver, with the name of their layout, as they may come from a file or from another machine.
 *
 * @param layout the driver's {@code packedLayout()} at the time of packing
 */
public record PackedBytes(String layout, MemorySegment bytes) {
    /**
     * Returns the bytes, for a driver with the given layout.
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
