package dev.millrace.kernels.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Matrices of one shape at a random distance, in guarded memory. */
final class RandomMatrix {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final byte UNTOUCHED = 77;

    private final Matrix matrix;
    private final Output type;
    private final int rows;
    private final int columns;
    private final long distance;

    private RandomMatrix(Matrix matrix, Output type, int rows, int columns, long distance) {
        this.matrix = matrix;
        this.type = type;
        this.rows = rows;
        this.columns = columns;
        this.distance = distance;
    }

    private static long extent(long rows, long columns, long stride) {
        return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
    }

    /** Returns matrices filled with random numbers, by rows or by columns. */
    static RandomMatrix read(GuardedMemory memory, Random random, int rows, int columns, long count) {
        boolean transposed = random.nextBoolean();
        int outer = transposed ? columns : rows;
        int inner = transposed ? rows : columns;
        long stride = inner + random.nextInt(3);
        long extent = extent(outer, inner, stride);
        long distance = extent + random.nextInt(3);
        MemorySegment data = memory.random(extent == 0 ? 0 : (count - 1) * distance + extent, random);
        Matrix matrix = transposed ? Matrix.columns(data, stride) : Matrix.rows(data, stride);
        return new RandomMatrix(matrix, Output.F32, rows, columns, distance);
    }

    /** Returns matrices by rows to be written. Gaps are filled with a marker; floats between them are small numbers. */
    static RandomMatrix written(
            GuardedMemory memory, Random random, int rows, int columns, int widest, long count, Output type) {
        long stride = columns + random.nextInt(3);
        long distance = (long) rows * widest;
        MemorySegment data =
                memory.bytes(type.bytes() * ((count - 1) * distance + extent(rows, columns, stride)), type.bytes());
        data.fill(UNTOUCHED);
        RandomMatrix c = new RandomMatrix(Matrix.rows(data, stride), type, rows, columns, distance);
        for (int batch = 0; batch < count && type == Output.F32; batch++) {
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < columns; j++) {
                    data.set(FLOAT, 4 * c.at(batch, i, j), random.nextFloat() - 0.5f);
                }
            }
        }
        return c;
    }

    Matrix matrix() {
        return matrix;
    }

    int columns() {
        return columns;
    }

    long distance() {
        return distance;
    }

    private long at(int batch, int row, int column) {
        long stride = matrix.stride();
        return batch * distance + (matrix.isColumns() ? column * stride + row : row * stride + column);
    }

    double get(int batch, int row, int column) {
        long at = at(batch, row, column);
        return switch (type) {
            case F32 -> matrix.memory().get(FLOAT, 4 * at);
            case U8 -> matrix.memory().get(ValueLayout.JAVA_BYTE, at) & 0xff;
            case S8 -> matrix.memory().get(ValueLayout.JAVA_BYTE, at);
        };
    }

    /** Checks that the memory between the rows is unchanged. */
    void checkGaps(int batch) {
        for (int i = 0; i < rows - 1; i++) {
            long from = type.bytes() * (at(batch, i, 0) + columns);
            for (long at = from; at < type.bytes() * at(batch, i + 1, 0); at++) {
                assertEquals(UNTOUCHED, matrix.memory().get(ValueLayout.JAVA_BYTE, at), "between the rows of C");
            }
        }
    }

    @Override
    public String toString() {
        return matrix.layout() + " " + matrix.stride() + " apart";
    }
}
