package dev.millrace.providers.cpu.image.webp;

import dev.millrace.providers.cpu.image.source.Bytes;

/** The entropy decoder of VP8: bits whose probability of being 0 is known, in 256ths. */
final class BooleanDecoder {
    private final Bytes bytes;
    private int range = 255;
    private long value;
    /** How many bits of {@link #value} lie below the eight that are compared with the range. */
    private int spare = -8;

    BooleanDecoder(Bytes bytes) {
        this.bytes = bytes;
    }

    int bit(int zeroProbability) {
        if (spare < 0) {
            value = value << 8 | bytes.octet();
            spare += 8;
        }
        int split = 1 + (((range - 1) * zeroProbability) >> 8);
        int bit = 0;
        if (value >> spare >= split) {
            value -= (long) split << spare;
            range -= split;
            bit = 1;
        } else {
            range = split;
        }
        int shift = Integer.numberOfLeadingZeros(range) - 24;
        range <<= shift;
        spare -= shift;
        return bit;
    }

    boolean flag() {
        return bit(128) == 1;
    }

    /** A number of so many bits, the most significant one first. */
    int number(int bits) {
        int number = 0;
        for (int i = 0; i < bits; i++) {
            number = number << 1 | bit(128);
        }
        return number;
    }

    /** A number that is followed by its sign. */
    int signed(int bits) {
        int number = number(bits);
        return flag() ? -number : number;
    }

    /** A flag, and where it is set a number with a sign; else 0. */
    int optional(int bits) {
        return flag() ? signed(bits) : 0;
    }
}
