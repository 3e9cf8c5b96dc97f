package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * An address space for the interpreter: a pointer has the number of a segment in its upper bits and the offset into it
 * in the lower ones. Offsets are biased, so that a pointer may move before the start of its segment as long as nothing
 * is read there.
 */
class SegmentMemory implements Memory {
    private static final int OFFSET_BITS = 48;
    private static final long BIAS = 1L << OFFSET_BITS - 1;

    private final List<MemorySegment> segments = new ArrayList<>();

    @Override
    public long pointer(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the memory was freed: " + segment);
        }
        segments.add(segment);
        return (long) segments.size() << OFFSET_BITS | BIAS;
    }

    private MemorySegment segment(long pointer) {
        long number = pointer >>> OFFSET_BITS;
        if (number == 0 || number > segments.size()) {
            throw new IndexOutOfBoundsException("0x" + Long.toHexString(pointer) + " is no pointer into a segment");
        }
        return segments.get((int) number - 1);
    }

    private long offset(long pointer) {
        return (pointer & (1L << OFFSET_BITS) - 1) - BIAS;
    }

    int read(long pointer) {
        return segment(pointer).get(ValueLayout.JAVA_INT_UNALIGNED, offset(pointer));
    }

    long readLong(long pointer) {
        return segment(pointer).get(ValueLayout.JAVA_LONG_UNALIGNED, offset(pointer));
    }

    void move(long to, long from, int bytes) {
        MemorySegment.copy(segment(from), offset(from), segment(to), offset(to), bytes);
    }

    private int readByte(long pointer) {
        return segment(pointer).get(ValueLayout.JAVA_BYTE, offset(pointer));
    }

    private short readShort(long pointer) {
        return segment(pointer).get(ValueLayout.JAVA_SHORT_UNALIGNED, offset(pointer));
    }

    /** Reads an element as the bits of a lane. */
    int read(Element element, long pointer) {
        return switch (element) {
            case WORD -> read(pointer);
            case U8 -> readByte(pointer) & 0xff;
            case S8 -> readByte(pointer);
            case U16 -> readShort(pointer) & 0xffff;
            case S16 -> readShort(pointer);
            case F16 -> Float.floatToRawIntBits(Float.float16ToFloat(readShort(pointer)));
            case F64 -> Float.floatToRawIntBits((float) Double.longBitsToDouble(readLong(pointer)));
            case U8_PAIR -> readByte(pointer) & 0xff | (readByte(pointer + 1) & 0xff) << 16;
            case S8_PAIR -> readByte(pointer) & 0xffff | readByte(pointer + 1) << 16;
        };
    }

    /** Writes the bits of a lane as an element. */
    void write(Element element, long pointer, int value) {
        MemorySegment to = segment(pointer);
        long at = offset(pointer);
        switch (element) {
            case U8 -> to.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case U16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
            case F16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(Float.intBitsToFloat(value)));
            case F64 -> to.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, Float.intBitsToFloat(value));
            default -> to.set(ValueLayout.JAVA_INT_UNALIGNED, at, value);
        }
    }
}
