package dev.millrace.kernels.program.plain;

import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * An address space of its own: the number of a segment in the upper bits, the offset into it in the lower ones. Offsets
 * are biased, so that a pointer may move before the start of its segment as long as nothing is read there.
 */
final class SegmentMemory implements Memory {
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

    private static long offset(long pointer) {
        return (pointer & (1L << OFFSET_BITS) - 1) - BIAS;
    }

    int read(long pointer) {
        return segment(pointer).get(ValueLayout.JAVA_INT_UNALIGNED, offset(pointer));
    }

    void write(long pointer, int value) {
        segment(pointer).set(ValueLayout.JAVA_INT_UNALIGNED, offset(pointer), value);
    }
}
