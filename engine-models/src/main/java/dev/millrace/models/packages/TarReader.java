package dev.millrace.models.packages;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Finds files in a tar stream: blocks of 512 bytes, a header with name and size before each file. */
final class TarReader implements AutoCloseable {
    private static final int BLOCK = 512;

    private final InputStream in;
    private long left;
    private long padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** Goes to the file of this path; false where there is none behind the current one. */
    boolean seek(String path) throws IOException {
        while (true) {
            in.skipNBytes(left + padding);
            byte[] header = in.readNBytes(BLOCK);
            if (header.length < BLOCK || header[0] == 0) {
                left = 0;
                padding = 0;
                return false;
            }
            left = size(text(header, 124, 12).strip());
            padding = -left & (BLOCK - 1);
            String prefix = text(header, 345, 155);
            String name = text(header, 0, 100);
            if (path.equals(prefix.isEmpty() ? name : prefix + "/" + name)) {
                return true;
            }
        }
    }

    private static long size(String octal) throws IOException {
        try {
            long size = Long.parseLong(octal, 8);
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IOException("the archive is damaged: a file's size is '" + octal + "'");
    }

    private static String text(byte[] header, int from, int length) {
        int end = from;
        while (end < from + length && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }

    /** The bytes of the current file. Closing it leaves the tar open. */
    InputStream content() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] to, int at, int length) throws IOException {
                if (left == 0) {
                    return -1;
                }
                int count = in.read(to, at, (int) Math.min(length, left));
                if (count < 0) {
                    throw new EOFException("the archive ends inside a file");
                }
                left -= count;
                return count;
            }
        };
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
