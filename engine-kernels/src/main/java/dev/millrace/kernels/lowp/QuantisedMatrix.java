package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A matrix of bytes.
 *
 * @param data rows of bytes
 * @param signed whether the bytes, and the zero points, have a sign
 * @param stride bytes from one row to the next
 * @param zeroPoints bytes, or null where all are 0: one of them, or one for each row of the left factor, each column of
 *     the right one
 * @param scales floats: one of them, or one for each row or column; null stands for 1. Those of the right factor belong
 *     to the product.
 * @param windows the layout of the rows of the left factor, if they are parts of lines; then they have no sign, and
 *     {@link QuantisedGemm#readsWindows} says whether a product can read them
 */
public record QuantisedMatrix(
        MemorySegment data,
        boolean signed,
        long stride,
        @Nullable MemorySegment zeroPoints,
        @Nullable MemorySegment scales,
        @Nullable ByteWindows windows) {

    public QuantisedMatrix(
            MemorySegment data,
            boolean signed,
            long stride,
            @Nullable MemorySegment zeroPoints,
            @Nullable MemorySegment scales) {
        this(data, signed, stride, zeroPoints, scales, null);
    }

    /** Returns a matrix without zero points and scales. */
    public static QuantisedMatrix of(MemorySegment data, boolean signed, long stride) {
        return new QuantisedMatrix(data, signed, stride, null, null);
    }

    /** Returns this matrix with zero points. */
    public QuantisedMatrix withZeroPoints(MemorySegment points) {
        return new QuantisedMatrix(data, signed, stride, points, scales, windows);
    }

    /** Returns this matrix with scales. */
    public QuantisedMatrix withScales(MemorySegment floats) {
        return new QuantisedMatrix(data, signed, stride, zeroPoints, floats, windows);
    }

    void check(String name, long rows, long columns, long ofTerms) {
        if (windows == null) {
            CallChecks.byteMatrix(name, data, rows, columns, stride);
        } else {
            windows.check(name, data, rows, columns, stride);
        }
        if (zeroPoints != null && zeroPoints.byteSize() != 1) {
            CallChecks.bytes("the zero points of " + name, zeroPoints, ofTerms);
        }
        if (scales != null && scales.byteSize() != 4) {
            CallChecks.vector("the scales of " + name, scales, ofTerms);
        }
    }

    /** Whether there is one zero point and one scale for all rows or columns. */
    boolean hasTermsForAll() {
        return (zeroPoints == null || zeroPoints.byteSize() == 1) && (scales == null || scales.byteSize() == 4);
    }

    /** Returns the zero point of a row or column. */
    public int zeroPoint(long index) {
        if (zeroPoints == null) {
            return 0;
        }
        byte point = zeroPoints.get(ValueLayout.JAVA_BYTE, zeroPoints.byteSize() == 1 ? 0 : index);
        return signed ? point : point & 0xff;
    }

    /** Returns the scale of a row or column. */
    public float scale(long index) {
        return scales == null
                ? 1
                : scales.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, scales.byteSize() == 4 ? 0 : index);
    }
}
