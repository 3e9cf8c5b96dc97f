package dev.millrace.graph.format;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a message, read through an array that holds some of them: a file is read before anything is compiled, and
 * until then a look into an array costs a tenth of one into a segment. For one thread.
 */
final class WireBytes {
    private static final int WINDOW = 16 << 10;

    private final MemorySegment data;
    private final byte[] window;
    /** The same: to copy to an array that is no segment takes the JDK several milliseconds for the first time. */
    private final MemorySegment windowMemory;

    private long start;
    /** Of the window, how much is filled. */
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

    /** A copy of some bytes that fit into an array. */
    byte[] copy(long position, int length) {
        var copy = new byte[length];
        if (length <= window.length) {
            if (position < start || position + length > start + filled) {
                move(position);
            }
            System.arraycopy(window, (int) (position - start), copy, 0, length);
        } else {
            MemorySegment.copy(data, position, MemorySegment.ofArray(copy), 0, length);
        }
        return copy;
    }

    MemorySegment slice(long position, long length) {
        return data.asSlice(position, length);
    }
}
