package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import java.util.Arrays;

/**
 * The operands of a matrix product by numpy's rules: vectors are matrices of one row or column, leading axes are
 * broadcast. Where the right operand is one matrix, the batch is one product of many rows.
 */
final class MatrixBatches {
    private final int rows;
    private final int depth;
    private final int columns;
    private final long[] left;
    private final long[] right;

    private MatrixBatches(int rows, int depth, int columns, long[] left, long[] right) {
        this.rows = rows;
        this.depth = depth;
        this.columns = columns;
        this.left = left;
        this.right = right;
    }

    static MatrixBatches of(Shape a, Shape b) {
        return of(a, b, true);
    }

    /**
     * Returns the batches of two operands; {@code merging} says whether the rows of all batches on the left may form
     * one matrix.
     */
    static MatrixBatches of(Shape a, Shape b, boolean merging) {
        Shape left = a.rank() == 1 ? Shape.of(1, a.dim(0)) : a;
        Shape right = b.rank() == 1 ? Shape.of(b.dim(0), 1) : b;
        long rows = left.dimAt(-2);
        long depth = left.dimAt(-1);
        if (right.dimAt(-2) != depth) {
            throw EngineException.invalidArgument("shapes " + a + " and " + b + " do not multiply");
        }
        int columns = ArrayExtents.toInt("columns", right.dimAt(-1));
        if (merging && right.elements(0, right.rank() - 2) == 1) {
            rows = left.elements(0, left.rank() - 1);
            left = Shape.of(rows, depth);
            right = Shape.of(depth, columns);
        }
        Shape leftBatch = leading(left);
        Shape rightBatch = leading(right);
        Shape batch = Shape.broadcast(leftBatch, rightBatch);
        int count = ArrayExtents.toInt("matrices", batch.elements());
        return new MatrixBatches(
                ArrayExtents.toInt("rows", rows),
                ArrayExtents.toInt("elements of a row", depth),
                columns,
                offsets(leftBatch, batch, count, rows * depth),
                offsets(rightBatch, batch, count, depth * columns));
    }

    private static Shape leading(Shape shape) {
        return Shape.of(Arrays.copyOf(shape.toArray(), shape.rank() - 2));
    }

    private static long[] offsets(Shape own, Shape batch, int count, long step) {
        Broadcast map = Broadcast.of(ElementType.INT64, own, batch);
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = map.offset(i) * step;
        }
        return offsets;
    }

    int batches() {
        return left.length;
    }

    int rows() {
        return rows;
    }

    int depth() {
        return depth;
    }

    int columns() {
        return columns;
    }

    /** The index of the first element of a batch's left matrix. */
    long left(int batch) {
        return left[batch];
    }

    /** The index of a batch's row {@code row} among the rows of all left matrices. */
    long leftRow(long batch, int row) {
        return left[(int) batch] / Math.max(1, depth) + row;
    }

    /** The index of a batch's column {@code column} among the columns of all right matrices. */
    long rightColumn(long batch, int column) {
        return right[(int) batch] / Math.max(1, depth) + column;
    }

    /** The index of the first element of a batch's right matrix. */
    long right(int batch) {
        return right[batch];
    }
}
