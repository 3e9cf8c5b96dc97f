package dev.millrace.kernels.conv.nchw;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Combination;
import org.jspecify.annotations.Nullable;

/**
 * The operation on the elements of a window.
 *
 * @param kind the combination of the elements
 * @param each the expression that is applied to each element before it is added; for sums only
 * @param after the epilogue: input 0 is the result, input 1 the residual
 * @param counts the divisors of an average, or null where sums are not divided
 */
public record PlaneOp(
        Combination kind, Expr each, Expr after, @Nullable Counts counts) {
    /** The divisors of an average: the count of the row times that of the column. */
    public interface Counts {
        long ofRow(int plane, int row);

        int ofColumn(int column);
    }

    public static PlaneOp weighted(Expr after) {
        return new PlaneOp(Combination.WEIGHTED, Expr.input(0), after, null);
    }
}
