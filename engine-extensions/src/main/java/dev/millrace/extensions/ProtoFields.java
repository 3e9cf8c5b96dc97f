package dev.millrace.extensions;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The fields of a message in protobuf's wire format, one after the other. Methods throw IndexOutOfBoundsException if the message is
 * damaged.
 */
final class ProtoFields {
    private static final int VARINT = 0;
    private static final int EIGHT_BYTES = 1;
    private static final int BYTES = 2;
    private static final int FOUR_BYTES = 5;
    private static final int KIND_BITS = 3;
    private static final int VARINT_BITS = 7;
    private static final int MOST_SHIFT = 63;

    private final ByteBuffer message;
    private int number;
    private int kind;

    ProtoFields(byte[] message) {
        this.message = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Goes to the next field; false behind the last one. The value of the field before has to be read or skipped. */
    boolean next() {
        if (!message.hasRemaining()) {
            return false;
        }
        int tag = (int) varint();
        number = tag >>> KIND_BITS;
        kind = tag & ((1 << KIND_BITS) - 1);
        return true;
    }

    int number() {
        return number;
    }

    boolean isNumber() {
        return kind == VARINT;
    }

    boolean isBytes() {
        return kind == BYTES;
    }

    long varint() {
        long value = 0;
        for (int shift = 0; shift <= MOST_SHIFT; shift += VARINT_BITS) {
            long part = message.get(taken(1));
            value |= (part & 0x7f) << shift;
            if (part >= 0) {
                return value;
            }
        }
        throw new IndexOutOfBoundsException("a number without an end");
    }

    float real() {
        return message.getFloat(taken(Float.BYTES));
    }

    byte[] bytes() {
        int length = Math.toIntExact(Math.clamp(varint(), -1, Integer.MAX_VALUE));
        byte[] made = new byte[length < 0 || length > message.remaining() ? failed() : length];
        message.get(message.position(), made);
        message.position(message.position() + made.length);
        return made;
    }

    private static int failed() {
        throw new IndexOutOfBoundsException("a field that is longer than its message");
    }

    String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    void skip() {
        switch (kind) {
            case VARINT -> varint();
            case EIGHT_BYTES -> taken(Long.BYTES);
            case BYTES -> bytes();
            case FOUR_BYTES -> taken(Float.BYTES);
            default -> failed();
        }
    }

    /** Goes on by so many bytes, and returns the place before. */
    private int taken(int count) {
        int at = message.position();
        if (message.remaining() < count) {
            failed();
        }
        message.position(at + count);
        return at;
    }
}
