package ai.onnxruntime;

import java.util.EnumSet;

/** A flag, one bit of a number. */
public interface OrtFlags {
    int getValue();

    /** Returns the bits of several flags. */
    static <E extends Enum<E> & OrtFlags> int aggregateToInt(EnumSet<E> set) {
        int bits = 0;
        for (E flag : set) {
            bits |= flag.getValue();
        }
        return bits;
    }
}
