package dev.millrace.graph.format;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a message, read through a window: an array that holds some of them. A file is read before the JVM has
 * compiled anything, and until then reading from an array costs a tenth of reading from a segment. For one thread.
 */
final class WireBytes {
    private static final int WINDOW = 16 << 10;

    private final MemorySegment data;
    private final byte[] window;
    /** The window as a segment. The first copy from a segment to a plain array takes the JDK several milliseconds. */
    private final MemorySegment windowMemory;

    private long start;
    /** The number of bytes of the window that are filled. */
    private int filled;

    WireBytes(MemorySegment data) {
        this.data = data;
        window = new byte[(int) Math.min(WINDOW, data.byteSize())];
        windowMemory = MemorySegment.ofArray(window);
    }

    long size() {
        return data.byteSize();
    }

    byte at(long position) {
        long place = position - start;
        if (place < 0 || place >= filled) {
            move(position);
            place = 0;
        }
        return window[(int) place];
    }

    private void move(long position) {
        start = position;
        filled = (int) Math.min(window.length, data.byteSize() - position);
        MemorySegment.copy(data, position, windowMemory, 0, filled);
    }

    /** Returns a copy of {@code length} bytes. */
    byte[] copy(long position, int length) {
        if (length > window.length) {
            return largeCopy(position, length);
        }
        var copy = new byte[length];
        if (position < start || position + length > start + filled) {
            move(position);
        }
        System.arraycopy(window, (int) (position - start), copy, 0, length);
        return copy;
    }

    // apart from the usual copies, since the JIT compiler makes 50 KB of code of a copy between segments
    private byte[] largeCopy(long position, int length) {
        var copy = new byte[length];
        MemorySegment.copy(data, position, MemorySegment.ofArray(copy), 0, length);
        return copy;
    }

    MemorySegment slice(long position, long length) {
        return data.asSlice(position, length);
    }
}
