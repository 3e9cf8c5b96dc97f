package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.DocString;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * A cursor over one message in protobuf's wire format. {@link #next()} moves to a field, and one of the read methods
 * returns its value. Every length is checked against the bytes that are left of the enclosing message.
 */
final class WireReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    private static final String CUT = ": the file ends early, as a download that was interrupted leaves it";

    private final WireBytes data;
    private final long end;
    /** Whether the message is the whole file. */
    private final boolean whole;

    private long position;
    private int field;
    private int wireType;

    private WireReader(WireBytes data, long position, long end, boolean whole) {
        this.data = data;
        this.position = position;
        this.end = end;
        this.whole = whole;
    }

    static WireReader of(MemorySegment message) {
        return new WireReader(new WireBytes(message), 0, message.byteSize(), true);
    }

    /** Moves to the next field; false at the end of the message. */
    boolean next() {
        if (position == end) {
            return false;
        }
        long tag = rawVarint();
        long number = tag >>> 3;
        if (number == 0 || number > 0x1fffffff) {
            throw malformed("there is no field " + number);
        }
        field = (int) number;
        wireType = (int) (tag & 7);
        return true;
    }

    int field() {
        return field;
    }

    /** Bytes not read yet. */
    long remaining() {
        return end - position;
    }

    long varint() {
        expect(VARINT);
        return rawVarint();
    }

    int int32() {
        return (int) varint();
    }

    float float32() {
        expect(FIXED32);
        return rawFloat();
    }

    /** Returns the nested message, to be read now or later. */
    WireReader message() {
        expect(LENGTH);
        long length = rawVarint();
        require(length);
        var inner = new WireReader(data, position, position + length, false);
        position += length;
        return inner;
    }

    /** Returns the bytes of the field themselves, not a copy. */
    MemorySegment bytes() {
        return message().rest();
    }

    byte[] byteArray() {
        WireReader bytes = message();
        if (bytes.remaining() > LONGEST_ARRAY) {
            throw malformed("a string has " + bytes.remaining() + " bytes");
        }
        return data.copy(bytes.position, (int) bytes.remaining());
    }

    /** Returns the field as text; bytes that are no UTF-8 become replacement characters. */
    String text() {
        byte[] bytes = byteArray();
        return bytes.length == 0 ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns a documentation text, which is decoded only when it is asked for. */
    DocString docString() {
        return DocString.wrap(bytes());
    }

    /** Passes each value of a repeated field to {@code each}, whether it is one varint or a packed run of them. */
    void varints(LongConsumer each) {
        WireReader run = run();
        while (run.remaining() > 0) {
            each.accept(run.rawVarint());
        }
    }

    /** Returns a cursor over a repeated scalar field, packed or one value, for the methods that read raw values. */
    WireReader run() {
        if (wireType == LENGTH) {
            return message();
        }
        long start = position;
        skip();
        return new WireReader(data, start, position, false);
    }

    /** Returns the bytes of this message that are not read yet. */
    MemorySegment rest() {
        return data.slice(position, end - position);
    }

    void skip() {
        switch (wireType) {
            case VARINT -> rawVarint();
            case FIXED64 -> advance(8);
            case LENGTH -> message();
            case FIXED32 -> advance(4);
            default -> throw malformed("field " + field + " has wire type " + wireType + ", which ONNX does not use");
        }
    }

    float rawFloat() {
        require(4);
        int bits = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            bits |= (data.at(position++) & 0xff) << shift;
        }
        return Float.intBitsToFloat(bits);
    }

    long rawVarint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position == end) {
                throw malformed("a number is cut off");
            }
            byte next = data.at(position++);
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed("a number has more than ten bytes");
    }

    private void advance(long bytes) {
        require(bytes);
        position += bytes;
    }

    private void require(long bytes) {
        if (bytes < 0 || bytes > end - position) {
            String claim = "field " + field + " claims " + Long.toUnsignedString(bytes) + " bytes where "
                    + (end - position) + " are left";
            throw malformed(whole ? claim + CUT : claim);
        }
    }

    private void expect(int expected) {
        if (wireType != expected) {
            throw malformed("field " + field + " has wire type " + wireType + " where " + expected + " belongs");
        }
    }

    private EngineException malformed(String what) {
        return new EngineException(Status.INVALID_PROTOBUF, "byte " + position + ": " + what);
    }
}
