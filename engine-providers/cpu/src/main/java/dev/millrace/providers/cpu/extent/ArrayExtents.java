package dev.millrace.providers.cpu.extent;

import dev.millrace.graph.EngineException;

/** Extents that become array lengths. One that is too large is refused by name before anybody asks for the memory. */
public final class ArrayExtents {
    /** The longest array that every virtual machine makes. */
    public static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    private ArrayExtents() {}

    /** {@code count} as the length of an array; {@code what} says what is counted, for the message. */
    public static int toInt(String what, long count) {
        if (count < Integer.MIN_VALUE || count > LONGEST_ARRAY) {
            throw EngineException.notImplemented(
                    count + " " + what + " are more than the " + LONGEST_ARRAY + " that this kernel handles");
        }
        return (int) count;
    }

    /** The product of two counts as the length of an array. */
    public static int product(String what, long a, long b) {
        if (Math.multiplyHigh(a, b) != 0 || a * b < 0) {
            throw EngineException.notImplemented(a + " times " + b + " " + what + " are more than the " + LONGEST_ARRAY
                    + " that this kernel handles");
        }
        return toInt(what, a * b);
    }

    /**
     * {@code count} as the length of an array with {@code bytes} bytes for each element, which takes at most half of the
     * heap: a table that is kept with a binding.
     */
    public static int table(String what, long count, long bytes) {
        long most = Runtime.getRuntime().maxMemory() / 2 / bytes;
        if (count > most) {
            throw EngineException.notImplemented("a table for " + count + " " + what + " takes " + bytes
                    + " bytes for each; the heap has room for " + most + ", raise -Xmx");
        }
        return toInt(what, count);
    }
}
