package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.Extents;
import java.lang.foreign.MemorySegment;

/**
 * A matrix in memory.
 *
 * @param stride elements from one row to the next, or from one column to the next; of no meaning when packed
 */
public record Matrix(MemorySegment memory, long stride, Layout layout) {
    /** How the elements lie. */
    public enum Layout {
        /** Those of a row together. */
        ROWS,
        /** Those of a column together: the matrix is given as its transpose. */
        COLUMNS,
        /** As rows that may overlap, to be read alone: the windows of a signal. */
        WINDOWS,
        /** As {@link Gemm#pack} puts them. */
        PACKED
    }

    public static Matrix rows(MemorySegment memory, long stride) {
        return new Matrix(memory, stride, Layout.ROWS);
    }

    public static Matrix columns(MemorySegment memory, long stride) {
        return new Matrix(memory, stride, Layout.COLUMNS);
    }

    /** @param stride less than a row has elements, where neighbouring rows have some in common */
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
     * How many elements there are from the first to the last, gaps included; not for packed ones.
     *
     * @throws IllegalArgumentException if rows overlap that are no windows
     */
    long extent(String name, long rows, long columns) {
        if (layout == Layout.WINDOWS) {
            return Extents.windows(name, rows, columns, stride);
        }
        return isColumns()
                ? Extents.elements(name, columns, rows, stride)
                : Extents.elements(name, rows, columns, stride);
    }
}
