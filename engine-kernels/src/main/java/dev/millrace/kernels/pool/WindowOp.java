package dev.millrace.kernels.pool;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;

/**
 * What is done under a window.
 *
 * @param each what elements go through before they are added
 * @param after what the result goes through: input 0 is the result, input 1 the residual
 * @param averages whether a sum is divided by the number of elements that count
 * @param countedPlanes how many planes behind the input count, or -1 if only those in the input do
 * @param countedRows how many rows do
 * @param countedColumns how many columns do
 */
record WindowOp(
        WindowTile.Op op,
        Expr each,
        Expr after,
        boolean averages,
        int countedPlanes,
        int countedRows,
        int countedColumns) {
    static WindowOp of(WindowTile.Op op, Expr each, Expr after) {
        return new WindowOp(op, each, after, false, -1, -1, -1);
    }

    /** How many rows of taps count for the averages of a row of outputs. */
    long counted(Axis depth, int plane, Axis height, int row) {
        return (long) counted(depth, plane, countedPlanes) * counted(height, row, countedRows);
    }

    /**
     * How many taps of an axis count for the average of an output.
     *
     * @param behind how many places behind the input count, or -1 if only those in it do
     */
    static int counted(Axis axis, int output, int behind) {
        if (behind < 0) {
            return axis.endTap(output) - axis.firstTap(output);
        }
        int room = axis.in() + behind - axis.start(output);
        return room <= 0 ? 0 : Math.min(axis.taps(), (room - 1) / axis.dilation() + 1);
    }
}
