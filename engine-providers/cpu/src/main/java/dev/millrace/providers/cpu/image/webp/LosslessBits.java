package dev.millrace.providers.cpu.image.webp;

import dev.millrace.providers.cpu.image.source.Bytes;

/** The bits of the lossless format, the least significant one of each byte first. */
final class LosslessBits {
    private final Bytes bytes;
    private final byte[] data;
    private final int end;
    private int at;
    private long value;
    private int count;

    LosslessBits(Bytes bytes) {
        this.bytes = bytes;
        data = bytes.array();
        at = bytes.position();
        end = at + bytes.remaining();
    }

    int read(int bits) {
        int number = ahead(bits);
        skip(bits);
        return number;
    }

    boolean flag() {
        return read(1) == 1;
    }

    /** The next bits, at most 24, without passing them; behind the end they are 0. */
    int ahead(int bits) {
        while (count < bits && at < end) {
            value |= (data[at++] & 255L) << count;
            count += 8;
        }
        return (int) value & (1 << bits) - 1;
    }

    void skip(int bits) {
        if (bits > count) {
            throw new IllegalArgumentException("the lossless image ends early, at byte " + end);
        }
        value >>>= bits;
        count -= bits;
    }

    /** Throws where nobody waits for the image any more. */
    void check() {
        bytes.check();
    }

    long fileBytes() {
        return data.length;
    }
}
