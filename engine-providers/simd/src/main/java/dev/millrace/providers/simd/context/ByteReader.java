package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads numbers one after the other from bytes that may be anything, and never past their end. */
final class ByteReader {
    private static final ValueLayout.OfInt FIXED = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment bytes;
    private long at;

    ByteReader(MemorySegment bytes) {
        this.bytes = bytes;
    }

    static EngineException damaged(String what) {
        return EngineException.invalidGraph("the compiled plan is damaged: " + what + "; compile the model again");
    }

    private long take(long count) {
        if (count < 0 || count > bytes.byteSize() - at) {
            throw damaged("it ends after " + bytes.byteSize() + " bytes, inside of " + count + " that begin at " + at);
        }
        long from = at;
        at += count;
        return from;
    }

    int fixed() {
        return bytes.get(FIXED, take(Integer.BYTES));
    }

    float real() {
        return Float.intBitsToFloat(fixed());
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = bytes.get(ValueLayout.JAVA_BYTE, take(1));
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw damaged("a number has more than ten bytes");
    }

    /** A number that is not negative. */
    long number() {
        long value = varint();
        if (value < 0) {
            throw damaged("a number has more than 63 bits");
        }
        return value;
    }

    /** A number below {@code limit}. */
    int below(int limit, String what) {
        long value = varint();
        if (value < 0 || value >= limit) {
            throw damaged("there is no " + what + " " + Long.toUnsignedString(value) + " of " + limit);
        }
        return (int) value;
    }

    long signed() {
        long folded = varint();
        return folded >>> 1 ^ -(folded & 1);
    }

    /** The length of a list whose items take a byte and more: no larger than what is left can hold. */
    int count(String what) {
        long count = varint();
        if (count < 0 || count > bytes.byteSize() - at || count > Integer.MAX_VALUE) {
            throw damaged("it has a list of " + Long.toUnsignedString(count) + " " + what + " where "
                    + (bytes.byteSize() - at) + " bytes are left");
        }
        return (int) count;
    }

    /** The bytes that were written with their count, not a copy. */
    MemorySegment bytes(String what) {
        int count = count(what);
        return bytes.asSlice(take(count), count);
    }

    /** Throws where something is left. */
    void finish() {
        if (at != bytes.byteSize()) {
            throw damaged((bytes.byteSize() - at) + " bytes are left at its end");
        }
    }
}
