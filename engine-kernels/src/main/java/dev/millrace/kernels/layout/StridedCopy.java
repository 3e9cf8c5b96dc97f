package dev.millrace.kernels.layout;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A strided copy as loops over bytes. Loops are ordered by the addresses that are written and as few as possible; the
 * innermost contiguous runs of bytes are one unit.
 */
public final class StridedCopy {
    private final long unit;
    private final long toOffset;
    private final long fromOffset;
    private final List<CopyLoop> loops;

    private StridedCopy(long unit, long toOffset, long fromOffset, List<CopyLoop> loops) {
        this.unit = unit;
        this.toOffset = toOffset;
        this.fromOffset = fromOffset;
        this.loops = loops;
    }

    /**
     * Returns the copy of a box of elements.
     *
     * @param elementBytes 1, 2, 4 or 8
     * @param counts the number of elements in each dimension
     * @param toOffset the offset at which the first element is written, in elements
     * @param toStrides the strides of each dimension where elements are written, in elements
     * @param fromOffset the offset at which the first element is read, in elements
     * @param fromStrides the strides where elements are read; 0 repeats an element
     * @throws IllegalArgumentException if an element would be written twice, or lists are of different lengths
     * @throws ArithmeticException if a distance in bytes is more than a long holds
     */
    public static StridedCopy of(
            int elementBytes, long[] counts, long toOffset, long[] toStrides, long fromOffset, long[] fromStrides) {
        if (elementBytes < 1 || elementBytes > Long.BYTES || Integer.bitCount(elementBytes) != 1) {
            throw new IllegalArgumentException("elements have 1, 2, 4 or 8 bytes, not " + elementBytes);
        }
        if (counts.length != toStrides.length || counts.length != fromStrides.length) {
            throw new IllegalArgumentException("there are " + counts.length + " counts, but " + toStrides.length
                    + " and " + fromStrides.length + " strides");
        }
        List<CopyLoop> loops = new ArrayList<>();
        long to = Math.multiplyExact(toOffset, elementBytes);
        long from = Math.multiplyExact(fromOffset, elementBytes);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] < 0) {
                throw new IllegalArgumentException("dimension " + i + " has " + counts[i] + " elements");
            }
            if (counts[i] == 1) {
                continue;
            }
            long step = Math.multiplyExact(toStrides[i], elementBytes);
            long read = Math.multiplyExact(fromStrides[i], elementBytes);
            if (step < 0 && counts[i] > 0) {
                to = Math.addExact(to, Math.multiplyExact(counts[i] - 1, step));
                from = Math.addExact(from, Math.multiplyExact(counts[i] - 1, read));
                step = Math.negateExact(step);
                read = Math.negateExact(read);
            }
            loops.add(new CopyLoop(counts[i], step, read));
        }
        if (loops.stream().anyMatch(loop -> loop.count() == 0)) {
            return new StridedCopy(0, 0, 0, List.of());
        }
        loops.sort((one, other) -> Long.compare(other.to(), one.to()));
        return new StridedCopy(elementBytes, to, from, loops).checked().merged();
    }

    private StridedCopy checked() {
        long written = unit;
        for (CopyLoop loop : loops.reversed()) {
            if (loop.to() < written) {
                throw new IllegalArgumentException(
                        "a stride of " + loop.to() + " bytes writes again into the " + written + " bytes inside of it");
            }
            written = Math.addExact(written, Math.multiplyExact(loop.count() - 1, loop.to()));
        }
        return this;
    }

    private StridedCopy merged() {
        List<CopyLoop> fewer = new ArrayList<>();
        for (CopyLoop loop : loops) {
            if (!fewer.isEmpty() && fewer.getLast().continues(loop)) {
                CopyLoop outer = fewer.removeLast();
                fewer.add(new CopyLoop(outer.count() * loop.count(), loop.to(), loop.from()));
            } else {
                fewer.add(loop);
            }
        }
        long run = unit;
        if (!fewer.isEmpty() && fewer.getLast().to() == unit && fewer.getLast().from() == unit) {
            run *= fewer.removeLast().count();
        }
        return new StridedCopy(run, toOffset, fromOffset, List.copyOf(fewer));
    }

    /** The size of the contiguous runs in bytes; 0 if nothing is copied. */
    long unit() {
        return unit;
    }

    /** The loops from the outermost to the innermost, by what is written; none has a count below 2. */
    List<CopyLoop> loops() {
        return loops;
    }

    long toOffset() {
        return toOffset;
    }

    long fromOffset() {
        return fromOffset;
    }

    /** The number of bytes that are written. */
    public long bytes() {
        long bytes = unit;
        for (CopyLoop loop : loops) {
            bytes *= loop.count();
        }
        return bytes;
    }

    /**
     * Checks that everything that is read and written lies inside of its segment.
     *
     * @throws IndexOutOfBoundsException if something lies outside
     * @throws IllegalArgumentException if the segments overlap, or the one that is written is read-only
     */
    void check(MemorySegment to, MemorySegment from) {
        CallChecks.writable("the target of the copy", to);
        long toEnd = Math.addExact(toOffset, unit);
        long fromStart = fromOffset;
        long fromEnd = Math.addExact(fromOffset, unit);
        for (CopyLoop loop : loops) {
            long read = Math.multiplyExact(loop.count() - 1, loop.from());
            toEnd = Math.addExact(toEnd, Math.multiplyExact(loop.count() - 1, loop.to()));
            fromStart = Math.addExact(fromStart, Math.min(0, read));
            fromEnd = Math.addExact(fromEnd, Math.max(0, read));
        }
        inside("the target of the copy", to, toOffset, toEnd);
        inside("the source of the copy", from, fromStart, fromEnd);
        CallChecks.apart("the target of the copy", to, "its source", from);
    }

    private static void inside(String name, MemorySegment segment, long start, long end) {
        if (start < 0) {
            throw new IndexOutOfBoundsException(name + " begins " + -start + " bytes before its segment");
        }
        CallChecks.bytes(name, segment, end);
    }
}
