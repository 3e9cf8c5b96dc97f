package dev.millrace.kernels.call;

import java.lang.foreign.MemorySegment;

/** Checks before calls: under machine code there is no net. */
public final class CallChecks {
    private CallChecks() {}

    /** Checks that a matrix of 32-bit elements lies inside of its segment. */
    public static void matrix(String name, MemorySegment segment, long rows, long columns, long stride) {
        vector(name, segment, elements(name, rows, columns, stride));
    }

    /** Checks that a matrix of bytes lies inside of its segment. */
    public static void byteMatrix(String name, MemorySegment segment, long rows, long columns, long stride) {
        bytes(name, segment, elements(name, rows, columns, stride));
    }

    /** How many elements a matrix has from its first to its last, gaps included. */
    public static long elements(String name, long rows, long columns, long stride) {
        if (rows < 0 || columns < 0) {
            throw new IllegalArgumentException(name + " has " + rows + " rows and " + columns + " columns");
        }
        if (stride < columns && rows > 1) {
            throw new IllegalArgumentException(
                    name + " has rows of " + columns + " elements, but they start only " + stride + " apart");
        }
        if (stride < 0 || stride >= 1L << 30) {
            throw new IllegalArgumentException(name + " has rows " + stride + " elements apart: up to 2^30 - 1 can be");
        }
        return rows == 0 || columns == 0 ? 0 : Math.addExact(Math.multiplyExact(rows - 1, stride), columns);
    }

    /** How many elements there are from the first to the last of rows that may overlap. */
    public static long windows(String name, long rows, long columns, long stride) {
        if (rows < 0 || columns < 0 || stride < 0) {
            throw new IllegalArgumentException(
                    name + " has no " + rows + " windows of " + columns + " elements, " + stride + " apart");
        }
        return rows == 0 || columns == 0 ? 0 : Math.addExact(Math.multiplyExact(rows - 1, stride), columns);
    }

    /** The first elements of a segment, checked to be there. */
    public static MemorySegment slice(String name, MemorySegment segment, int bytesPerElement, long elements) {
        if (elements < 0 || elements > segment.byteSize() / bytesPerElement) {
            throw new IndexOutOfBoundsException(name + " needs " + elements + " elements, but its segment has "
                    + segment.byteSize() / bytesPerElement);
        }
        return segment.asSlice(0, elements * bytesPerElement);
    }

    /** Checks that so many 32-bit elements lie inside of a segment. */
    public static void vector(String name, MemorySegment segment, long elements) {
        if (elements < 0 || elements > segment.byteSize() / 4) {
            throw new IndexOutOfBoundsException(
                    name + " needs " + elements + " elements, but its segment has " + segment.byteSize() / 4);
        }
    }

    public static void writable(String name, MemorySegment segment) {
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException(name + " is read-only");
        }
    }

    /** Checks that so many bytes lie inside of a segment. */
    public static void bytes(String name, MemorySegment segment, long bytes) {
        if (bytes < 0 || bytes > segment.byteSize()) {
            throw new IndexOutOfBoundsException(
                    name + " needs " + bytes + " bytes, but its segment has " + segment.byteSize());
        }
    }

    /** Checks that an operand that is written is another one from its first byte on, or shares none with it. */
    public static void sameOrApart(
            String name, MemorySegment written, String otherName, MemorySegment other, long bytes) {
        if (written.address() != other.address()) {
            apart(name, written, bytes, otherName, other, bytes);
        }
    }

    /** Checks that an operand that is written shares no byte with another one. */
    public static void apart(String name, MemorySegment written, String otherName, MemorySegment other) {
        apart(name, written, written.byteSize(), otherName, other, other.byteSize());
    }

    /** Checks that the first bytes of an operand that is written share none with those of another one. */
    public static void apart(
            String name, MemorySegment written, long bytes, String otherName, MemorySegment other, long otherBytes) {
        if (overlap(written, bytes, other, otherBytes)) {
            throw new IllegalArgumentException(name + " overlaps " + otherName);
        }
    }

    private static boolean overlap(MemorySegment a, long bytesOfA, MemorySegment b, long bytesOfB) {
        if (a.isNative() && b.isNative()) {
            boolean behind = a.address() - b.address() >= bytesOfB || b.address() - a.address() >= bytesOfA;
            return !behind && bytesOfA > 0 && bytesOfB > 0;
        }
        return a.asSlice(0, bytesOfA).asOverlappingSlice(b.asSlice(0, bytesOfB)).isPresent();
    }
}
