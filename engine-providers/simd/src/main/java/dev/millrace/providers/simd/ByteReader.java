package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads numbers one after the other from bytes that may be anything, and never past their end. */
final class ByteReader {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment bytes;
    private long at;

    ByteReader(MemorySegment bytes) {
        this.bytes = bytes;
    }

    private long take(long count) {
        if (count > bytes.byteSize() - at) {
            throw EngineException.invalidGraph("the compiled program ends after " + bytes.byteSize() + " bytes, inside "
                    + count + " that should begin at " + at);
        }
        long from = at;
        at += count;
        return from;
    }

    int readByte() {
        return bytes.get(ValueLayout.JAVA_BYTE, take(1)) & 0xff;
    }

    boolean readBoolean() {
        return readByte() != 0;
    }

    int readInt() {
        return bytes.get(INT, take(4));
    }

    long readLong() {
        return bytes.get(LONG, take(8));
    }

    float readFloat() {
        return Float.intBitsToFloat(readInt());
    }

    /** The length of a list whose items take {@code bytesEach} and more: no larger than what is left can hold. */
    int readCount(int bytesEach) {
        int count = readInt();
        if (count < 0 || count > (bytes.byteSize() - at) / bytesEach) {
            throw EngineException.invalidGraph("the compiled program has a list of " + count + " items where "
                    + (bytes.byteSize() - at) + " bytes are left");
        }
        return count;
    }

    /** A text of at most {@code longest} characters of one byte. */
    String readText(int longest) {
        int length = readCount(1);
        if (length > longest) {
            throw EngineException.invalidGraph("the compiled program has a name of " + length + " characters");
        }
        var text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) readByte());
        }
        return text.toString();
    }

    /** Throws where something is left. */
    void finish() {
        if (at != bytes.byteSize()) {
            throw EngineException.invalidGraph(
                    "the compiled program has " + (bytes.byteSize() - at) + " bytes more than it should");
        }
    }
}
