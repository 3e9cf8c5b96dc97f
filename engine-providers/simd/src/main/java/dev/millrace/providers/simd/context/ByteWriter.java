package dev.millrace.providers.simd.context;

import java.io.ByteArrayOutputStream;

/** Writes numbers one after the other, as {@link PlanFormat} has them. */
final class ByteWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** A number that is not negative. */
    void number(long value) {
        if (value < 0) {
            throw new IllegalArgumentException(value + " is negative");
        }
        varint(value);
    }

    void signed(long value) {
        varint(value << 1 ^ value >> 63);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }

    /** Four bytes. */
    void fixed(int value) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes.write(value >>> shift);
        }
    }

    void real(float value) {
        fixed(Float.floatToRawIntBits(value));
    }

    /** A count of bytes, and they. */
    void bytes(byte[] value) {
        number(value.length);
        bytes.writeBytes(value);
    }

    void append(ByteWriter other) {
        bytes.writeBytes(other.toBytes());
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
