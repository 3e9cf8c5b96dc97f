package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * A matrix in memory.
 *
 * @param stride elements from one row to the next, or from one column to the next; ignored when packed
 */
public record Matrix(MemorySegment memory, long stride, Layout layout) {
    /** The order of the elements. */
    public enum Layout {
        /** Row-major: the elements of a row are contiguous. */
        ROWS,
        /** Column-major: the elements of a column are contiguous, since the matrix is given as its transpose. */
        COLUMNS,
        /** Read-only rows that may overlap: the windows of a signal. */
        WINDOWS,
        /** The packed layout of {@link Gemm#pack}. */
        PACKED
    }

    public static Matrix rows(MemorySegment memory, long stride) {
        return new Matrix(memory, stride, Layout.ROWS);
    }

    public static Matrix columns(MemorySegment memory, long stride) {
        return new Matrix(memory, stride, Layout.COLUMNS);
    }

    /** @param stride less than the length of a row, where neighbouring rows share elements */
    public static Matrix windows(MemorySegment memory, long stride) {
        return new Matrix(memory, stride, Layout.WINDOWS);
    }

    public static Matrix packed(MemorySegment memory) {
        return new Matrix(memory, 0, Layout.PACKED);
    }

    boolean isPacked() {
        return layout == Layout.PACKED;
    }

    boolean isColumns() {
        return layout == Layout.COLUMNS;
    }

    /**
     * Returns the number of elements from the first to the last, gaps included, of a matrix that is not packed.
     *
     * @throws IllegalArgumentException if rows overlap that are no windows
     */
    long extent(String name, long rows, long columns) {
        if (layout == Layout.WINDOWS) {
            return CallChecks.windows(name, rows, columns, stride);
        }
        return isColumns()
                ? CallChecks.elements(name, columns, rows, stride)
                : CallChecks.elements(name, rows, columns, stride);
    }
}
