package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A reader of numbers from untrusted bytes, one after the other and never past their end. The bytes are copied to the
 * heap first: this runs before anything is compiled, when access to a byte of native memory takes as long as to a
 * hundred of an array.
 */
final class ByteReader {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final byte[] bytes;
    private final int end;
    private int at;

    ByteReader(MemorySegment bytes) {
        if (bytes.byteSize() > MOST_BYTES) {
            throw damaged("it has " + bytes.byteSize() + " bytes");
        }
        this.bytes = bytes.toArray(ValueLayout.JAVA_BYTE);
        end = this.bytes.length;
    }

    private ByteReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        at = from;
        this.end = end;
    }

    static EngineException damaged(String what) {
        return EngineException.invalidGraph("the compiled plan is damaged: " + what + "; compile the model again");
    }

    private int take(int count) {
        if (count < 0 || count > end - at) {
            throw damaged("it ends after " + end + " bytes, inside of " + count + " that begin at " + at);
        }
        int from = at;
        at += count;
        return from;
    }

    int fixed() {
        int from = take(Integer.BYTES);
        return bytes[from] & 0xff
                | (bytes[from + 1] & 0xff) << 8
                | (bytes[from + 2] & 0xff) << 16
                | bytes[from + 3] << 24;
    }

    float real() {
        return Float.intBitsToFloat(fixed());
    }

    private long varint() {
        if (at < end && bytes[at] >= 0) {
            return bytes[at++];
        }
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = bytes[take(1)];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw damaged("a number has more than ten bytes");
    }

    /** Reads a number that is not negative. */
    long number() {
        long value = varint();
        if (value < 0) {
            throw damaged("a number has more than 63 bits");
        }
        return value;
    }

    /** Reads a number below {@code limit}. */
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

    /** Reads the length of a list whose items take at least a byte each: no larger than what is left can hold. */
    int count(String what) {
        long count = varint();
        if (count < 0 || count > end - at) {
            throw damaged("it has a list of " + Long.toUnsignedString(count) + " " + what + " where " + (end - at)
                    + " bytes are left");
        }
        return (int) count;
    }

    /** Reads bytes that were written behind their count. The segment lies on the heap and is no copy. */
    MemorySegment bytes(String what) {
        int count = count(what);
        return MemorySegment.ofArray(bytes).asSlice(take(count), count);
    }

    /** Returns a reader of the bytes that were written behind their count. */
    ByteReader part(String what) {
        int count = count(what);
        int from = take(count);
        return new ByteReader(bytes, from, from + count);
    }

    String text() {
        int count = count("characters");
        return new String(bytes, take(count), count, StandardCharsets.UTF_8);
    }

    boolean isEmpty() {
        return at == end;
    }

    /** Throws where bytes are left. */
    void finish() {
        if (at != end) {
            throw damaged((end - at) + " bytes are left at its end");
        }
    }
}
