package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;

/** The bits of a packet's header, the most significant one of each byte first; after a byte of ones one bit is left out. */
final class HeaderBits {
    private final Bytes bytes;
    private int octet;
    private int left;

    HeaderBits(Bytes bytes) {
        this.bytes = bytes;
    }

    int bit() {
        if (left == 0) {
            left = octet == 0xff ? 7 : 8;
            octet = bytes.octet();
        }
        left--;
        return octet >> left & 1;
    }

    int number(int bits) {
        int number = 0;
        for (int i = 0; i < bits; i++) {
            number = number << 1 | bit();
        }
        return number;
    }

    /** Goes to the next byte. */
    void end() {
        left = 0;
        if (octet == 0xff) {
            bytes.skip(1);
        }
    }
}
