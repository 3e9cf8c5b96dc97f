package dev.millrace.kernels.quantise;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * The scales and zero points of a tensor seen as outer x axis x inner elements: one of each for every place of the axis.
 * Blocks of a last dimension are an axis too: that of the blocks of all rows.
 *
 * @param scales axis floats
 * @param zeros axis ints
 */
public record Scales(long outer, long axis, long inner, MemorySegment scales, MemorySegment zeros) {
    /** One scale and zero point for all of some elements. */
    public static Scales ofAll(long elements, MemorySegment scale, MemorySegment zero) {
        return new Scales(1, 1, elements, scale, zero);
    }

    /** @throws ArithmeticException if there are too many */
    public long elements() {
        return Math.multiplyExact(Math.multiplyExact(outer, axis), inner);
    }

    /** Whether each element of a row has a scale of its own, since the axis is the last one. */
    boolean isLast() {
        return inner == 1 && axis > 1;
    }

    /** How long the rows of a kernel are: where there is but one scale, all is one row. */
    long rowLength() {
        return isLast() ? axis : axis == 1 ? outer * inner : inner;
    }

    long rows() {
        return isLast() ? outer : axis == 1 ? 1 : outer * axis;
    }

    void check(QuantisedType type) {
        if (outer < 0 || axis < 0 || inner < 0) {
            throw new IllegalArgumentException("a tensor has " + outer + " x " + axis + " x " + inner + " elements");
        }
        CallChecks.vector("the scales", scales, axis);
        CallChecks.vector("the zero points", zeros, axis);
        if (type.isHalfByte() && rows() > 1 && rowLength() % 2 != 0) {
            throw new IllegalArgumentException("elements of 4 bits with rows of " + rowLength()
                    + " elements for a scale: the number must be even, or rows would begin within a byte");
        }
    }
}
