package dev.millrace.providers.cpu.image;

import dev.millrace.providers.cpu.image.source.Bytes;

/**
 * Counts the scans of a JPEG file. A progressive scan of a few bytes passes over all blocks of the image, and the JDK's decoder
 * makes all rows anew for each.
 */
final class JpegScans {
    /** Encoders make ten or so. */
    private static final int MOST = 100;

    private static final int START = 0xffd8;
    private static final int SCAN = 0xda;
    private static final int END = 0xd9;

    /** The search asks whether anybody waits after so many bytes. */
    private static final int STRETCH = 1 << 16;

    private JpegScans() {}

    /** Throws where a file has more scans than a decoder is given; one that is no JPEG file has none. */
    static void require(byte[] file, Runnable check) {
        Bytes bytes = Bytes.of(file, check);
        if (bytes.remaining() < 2 || bytes.big16() != START) {
            return;
        }
        int scans = 0;
        int marker = next(bytes);
        while (marker != END) {
            if (marker == SCAN && ++scans > MOST) {
                throw new IllegalArgumentException("a JPEG file of more than " + MOST + " scans");
            }
            if (hasContent(marker) && bytes.remaining() >= 2) {
                // a length that is wrong is the decoder's to refuse
                bytes.skip(Math.clamp(bytes.big16() - 2L, 0, bytes.remaining()));
            }
            marker = next(bytes);
        }
    }

    /** The second byte of the next marker, behind the data of a scan; {@link #END} where the file ends. */
    private static int next(Bytes bytes) {
        int before = 0;
        while (bytes.remaining() > 0) {
            int octet = bytes.octet();
            if (bytes.position() % STRETCH == 0) {
                bytes.check();
            }
            if (before == 0xff && octet != 0 && octet != 0xff) {
                return octet;
            }
            before = octet;
        }
        return END;
    }

    /** Restart markers and a few others stand alone. */
    private static boolean hasContent(int marker) {
        return (marker < 0xd0 || marker > 0xd8) && marker > 1;
    }
}
