package dev.millrace.kernels.gather;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Indices as a model gives them: of 32 or 64 bits with sign, side by side.
 *
 * @param wide whether they have 64 bits
 */
public record IndexList(MemorySegment data, boolean wide, long count) {
    int bytes() {
        return wide ? 8 : 4;
    }

    void check() {
        if (count < 0) {
            throw new IllegalArgumentException("there are " + count + " indices");
        }
        CallChecks.bytes("the indices", data, Math.multiplyExact(count, bytes()));
    }

    long get(long place) {
        return wide
                ? data.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * place)
                : data.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * place);
    }

    /**
     * The first index that is out of range.
     *
     * @param dims what indices choose from: the first one of a tuple from the first dimension, and so on
     */
    IndexOutOfBoundsException firstWrong(long... dims) {
        for (long place = 0; place < count; place++) {
            long limit = dims[(int) (place % dims.length)];
            long index = get(place);
            if (index < -limit || index >= limit) {
                return new IndexOutOfBoundsException("index " + index + " at place " + place + " is out of range: "
                        + (limit == 0 ? "there are no rows" : "it can be " + -limit + " to " + (limit - 1)));
            }
        }
        throw new IllegalStateException("the indices changed while they were read");
    }
}
