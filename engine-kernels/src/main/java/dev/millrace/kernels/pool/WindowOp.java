package dev.millrace.kernels.pool;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.Combination;

/**
 * The operation on the elements of a window.
 *
 * @param each the expression that is applied to elements before they are added
 * @param after the epilogue: input 0 is the result, input 1 the residual
 * @param averages whether a sum is divided by the number of elements that count
 * @param countedPlanes the number of padding planes behind the input that count, or -1 if no padding counts
 * @param countedRows the number of padding rows that count
 * @param countedColumns the number of padding columns that count
 */
record WindowOp(
        Combination op,
        Expr each,
        Expr after,
        boolean averages,
        int countedPlanes,
        int countedRows,
        int countedColumns) {
    static WindowOp of(Combination op, Expr each, Expr after) {
        return new WindowOp(op, each, after, false, -1, -1, -1);
    }

    /** The number of rows of taps that count for the averages of a row of outputs. */
    long counted(Axis depth, int plane, Axis height, int row) {
        return (long) counted(depth, plane, countedPlanes) * counted(height, row, countedRows);
    }

    /**
     * The number of taps along an axis that count for the average of an output.
     *
     * @param behind the number of padding positions behind the input that count, or -1 if no padding counts
     */
    static int counted(Axis axis, int output, int behind) {
        if (behind < 0) {
            return axis.endTap(output) - axis.firstTap(output);
        }
        int room = axis.in() + behind - axis.start(output);
        return room <= 0 ? 0 : Math.min(axis.taps(), (room - 1) / axis.dilation() + 1);
    }
}
