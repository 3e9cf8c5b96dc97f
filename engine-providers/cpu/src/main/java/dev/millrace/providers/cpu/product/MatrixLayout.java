package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;

/** The layout of a matrix in memory: one of its strides, in elements, is 1. */
public record MatrixLayout(ElementType type, long rowStride, long columnStride) {

    /** Returns the layout of a row-major matrix of {@code columns} columns. */
    public static MatrixLayout rows(ElementType type, long columns) {
        return new MatrixLayout(type, columns, 1);
    }

    /** Returns the layout of the transpose of a row-major matrix with {@code columns} columns. */
    public static MatrixLayout transposed(ElementType type, long columns) {
        return new MatrixLayout(type, 1, columns);
    }

    long offset(long row, long column) {
        return row * rowStride + column * columnStride;
    }

    /** Copies a block of this matrix, which starts at element {@code base}, into rows of {@code stride}. */
    public void read(
            MemorySegment from,
            long base,
            long row,
            int rows,
            long column,
            int columns,
            float[] to,
            int stride,
            Scratch scratch) {
        if (columnStride == 1) {
            for (int r = 0; r < rows; r++) {
                Elements.read(type, from, base + (row + r) * rowStride + column, to, r * stride, columns);
            }
            return;
        }
        float[] line = scratch.floats(1, rows);
        for (int c = 0; c < columns; c++) {
            Elements.read(type, from, base + row * rowStride + (column + c) * columnStride, line, 0, rows);
            for (int r = 0; r < rows; r++) {
                to[r * stride + c] = line[r];
            }
        }
    }

    /** Copies a block of this matrix, which starts at element {@code base}, into one array per row. */
    public void read(
            MemorySegment from,
            long base,
            long row,
            int rows,
            long column,
            int columns,
            float[][] to,
            Scratch scratch) {
        if (columnStride == 1) {
            for (int r = 0; r < rows; r++) {
                Elements.read(type, from, base + (row + r) * rowStride + column, to[r], 0, columns);
            }
            return;
        }
        float[] line = scratch.floats(1, rows);
        for (int c = 0; c < columns; c++) {
            Elements.read(type, from, base + row * rowStride + (column + c) * columnStride, line, 0, rows);
            for (int r = 0; r < rows; r++) {
                to[r][c] = line[r];
            }
        }
    }

    /** Copies a block of this matrix of doubles, which starts at element {@code base}, into one array per row. */
    void read(
            MemorySegment from,
            long base,
            long row,
            int rows,
            long column,
            int columns,
            double[][] to,
            Scratch scratch) {
        if (columnStride == 1) {
            for (int r = 0; r < rows; r++) {
                Elements.read(type, from, base + (row + r) * rowStride + column, to[r], 0, columns);
            }
            return;
        }
        double[] line = scratch.doubles(1, rows);
        for (int c = 0; c < columns; c++) {
            Elements.read(type, from, base + row * rowStride + (column + c) * columnStride, line, 0, rows);
            for (int r = 0; r < rows; r++) {
                to[r][c] = line[r];
            }
        }
    }
}
